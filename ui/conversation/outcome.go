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

// Sent is what is known of the message of a turn that ended.
type Sent struct {
	Unstored   bool // it is not on disk, and comes back into the draft
	Superseded bool // it cannot come back: the next draft is in its place
	Queued     bool // it is one of the queue, and stays there
	Stopped    bool // the user stopped the turn
}

// Outcome says how a turn ended: in a sentence, or in an alert where it failed. A failure of a server stands in the
// transcript.
func (c *Model) Outcome(e session.Finished, sent Sent) (said string, alert notice.Alert) {
	waits := c.Waiting.Waits()
	over, limited := (*session.OversizeError)(nil), (*session.LimitError)(nil)
	switch {
	case sent.Stopped && (sent.Queued || sent.Unstored): // nothing is sent before the message is stored
		return joined("Stopped; nothing was sent.", waits), alert
	case sent.Stopped:
		return joined("Stopped; what arrived is kept.", waits), alert
	case errors.As(e.Err, &over):
		return "", c.TooLong(over, sent)
	case errors.As(e.Err, &limited) && !sent.Queued && sent.Unstored:
		return joined("Not sent; the draft is kept.", waits), alert
	case errors.As(e.Err, &limited) && !sent.Queued:
		return joined("Not sent. The earlier messages are kept; /retry asks again.", waits), alert
	case e.Err == nil, limited != nil, e.Failure != nil && !c.Turn.Condensing && !sent.Queued:
		return waits, alert
	}
	return "", notice.Alert{
		Text: theme.Sentence(e.Err), Way: joined(c.wayOut(e.Err, sent), waits), Cause: causeOf(c.Session.Ready()),
	}
}

// joined is two sentences, either of which may be "".
func joined(first, second string) string { return strings.TrimSpace(first + " " + second) }

// TooLong says by how much a message does not fit and what helps. It stays queued, or in the draft, or comes back
// there.
func (c *Model) TooLong(over *session.OversizeError, sent Sent) notice.Alert {
	safe := "Your draft is kept: " + c.Keys.First(keymap.SendCut) + " sends it cut."
	switch up := c.Keys.First(keymap.ListUp); {
	case sent.Queued:
		safe = "The message stays queued; " + up + " moves it back to the draft."
	case sent.Superseded:
		safe = "Your message was not sent; " + up + " recalls it."
	}
	ways := strings.Join(append([]string{safe}, over.Suggestions(Remedies(over))...), "\n")
	return notice.Alert{Text: over.Error(), Way: ways, Cause: notice.TooLong}
}

// NotReady says why no turn can begin; the zero alert where one can.
func (c *Model) NotReady() notice.Alert {
	err := c.Session.Ready()
	if err == nil {
		return notice.Alert{}
	}
	return notice.Alert{Text: theme.Sentence(err), Way: c.agree(err), Cause: causeOf(err)}
}

// causeOf is what an alert is about that says why no turn can begin; of no such reason, that the turn failed.
func causeOf(err error) notice.Cause {
	if err == nil {
		return notice.Failed
	}
	if other := (*session.AddressChangedError)(nil); errors.As(err, &other) {
		return notice.OtherAddress
	}
	return notice.Unreachable
}

// agree says how the user agrees to the address that an endpoint is at now, "" for any other error.
func (c *Model) agree(err error) string {
	if causeOf(err) != notice.OtherAddress {
		return ""
	}
	return c.Keys.First(keymap.Models) + ", then " + c.Keys.First(keymap.Choose) + ", agrees to the new address."
}

// wayOut says what the user can do about a turn that failed with err, "" for nothing.
func (c *Model) wayOut(err error, sent Sent) string {
	switch {
	case errors.Is(err, session.ErrNothingToSummarize), errors.Is(err, session.ErrNothingToAnswer):
		return ""
	case sent.Queued, causeOf(err) == notice.OtherAddress && !sent.Unstored:
		return c.agree(err)
	case sent.Unstored && c.Session.Ready() != nil:
		return joined(c.agree(err), "The draft is kept.")
	case sent.Superseded:
		return "Your message was not sent; " + c.Keys.First(keymap.ListUp) + " recalls it."
	case sent.Unstored && (errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrMoved)):
		return "The draft is kept."
	case sent.Unstored:
		return "The draft is kept; " + c.Keys.First(keymap.Send) + " sends it again."
	case c.Turn.Condensing:
		return "/compact tries again."
	case settings.OverBudget(err):
		return settings.WaysOut(err) + "; /retry asks again."
	}
	return "/retry asks again."
}
