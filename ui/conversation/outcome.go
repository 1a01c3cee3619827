package conversation

import (
	"errors"
	"strings"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// MessageState is what became of the user's message when its turn ended.
type MessageState struct {
	Unstored   bool // it was not stored, and returns to the draft
	Superseded bool // it cannot return to the draft, which holds newer text
	Queued     bool // it came from the queue, and stays there
	Stopped    bool // the user stopped the turn
}

// Outcome describes how a turn ended: in a sentence, or in an alert if it failed. Failures of a server are not repeated
// here, because the transcript shows them.
func (c *Model) Outcome(e session.Finished, sent MessageState) (said string, alert notice.Alert) {
	waits := c.Waiting.PausedNotice()
	over, limited := (*session.OversizeError)(nil), (*session.LimitError)(nil)
	switch {
	case sent.Stopped && (sent.Queued || sent.Unstored): // nothing is sent before the message is stored
		return joined("Stopped; nothing was sent.", waits), alert
	case sent.Stopped:
		return joined("Stopped; what arrived is kept.", waits), alert
	case errors.As(e.Err, &over):
		return "", c.OversizeAlert(over, sent)
	case errors.As(e.Err, &limited) && !sent.Queued && sent.Unstored:
		return joined("Not sent; the draft is kept.", waits), alert
	case errors.As(e.Err, &limited) && !sent.Queued:
		return joined("Not sent. The earlier messages are kept; /retry asks again.", waits), alert
	case e.Err == nil, limited != nil, e.Failure != nil && !c.Turn.Compacting && !sent.Queued:
		return waits, alert
	}
	return "", notice.Alert{
		Text: theme.Sentence(e.Err), WayOut: joined(c.wayOut(e.Err, sent), waits), Cause: causeOf(c.Session.Ready()),
	}
}

// joined joins two sentences, either of which may be "".
func joined(first, second string) string { return strings.TrimSpace(first + " " + second) }

// OversizeAlert says by how much a message does not fit, where its text is now, and what would make it fit.
func (c *Model) OversizeAlert(over *session.OversizeError, sent MessageState) notice.Alert {
	safe := "Your draft is kept: " + c.Keys.First(keymap.SendCut) + " sends it cut."
	switch up := c.Keys.First(keymap.ListUp); {
	case sent.Queued:
		safe = "The message stays queued; " + up + " moves it back to the draft."
	case sent.Superseded:
		safe = "Your message was not sent; " + up + " recalls it."
	}
	ways := strings.Join(append([]string{safe}, over.Suggestions(OversizeCommands(over))...), "\n")
	return notice.Alert{Text: over.Error(), WayOut: ways, Cause: notice.DraftTooLong}
}

// NotReady says why no turn can begin. It returns the zero alert if one can.
func (c *Model) NotReady() notice.Alert {
	err := c.Session.Ready()
	if err == nil {
		return notice.Alert{}
	}
	return notice.Alert{
		Text: theme.Sentence(err), WayOut: c.howToAgree(err), Cause: causeOf(err),
	}
}

// causeOf returns the cause of an alert from the error of session.Ready: TurnFailed if there is none.
func causeOf(err error) notice.Cause {
	if err == nil {
		return notice.TurnFailed
	}
	if other := (*session.AddressChangedError)(nil); errors.As(err, &other) {
		return notice.AddressChanged
	}
	return notice.ModelUnreachable
}

// howToAgree says which keys accept the new address of an endpoint, "" for any other error.
func (c *Model) howToAgree(err error) string {
	if causeOf(err) != notice.AddressChanged {
		return ""
	}
	return c.Keys.First(keymap.Models) + ", then " + c.Keys.First(keymap.Choose) + ", agrees to the new address."
}

// wayOut says what the user can do about a turn that failed with err, "" for nothing.
func (c *Model) wayOut(err error, sent MessageState) string {
	switch {
	case errors.Is(err, session.ErrNothingToSummarize), errors.Is(err, session.ErrNothingToAnswer):
		return ""
	case sent.Queued, causeOf(err) == notice.AddressChanged && !sent.Unstored:
		return c.howToAgree(err)
	case sent.Unstored && c.Session.Ready() != nil:
		return joined(c.howToAgree(err), "The draft is kept.")
	case sent.Superseded:
		return "Your message was not sent; " + c.Keys.First(keymap.ListUp) + " recalls it."
	case sent.Unstored && (errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrMoved)):
		return "The draft is kept."
	case sent.Unstored:
		return "The draft is kept; " + c.Keys.First(keymap.Send) + " sends it again."
	case c.Turn.Compacting:
		return "/compact tries again."
	case settings.IsOverBudget(err):
		return settings.OverBudgetAdvice(err) + "; /retry asks again."
	}
	return "/retry asks again."
}
