package ui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/slash"
	"winnow/ui/theme"
)

// tooLong says by how much a message does not fit and what helps. It stays queued, or in the draft, or comes back there.
func (m *Model) tooLong(over *session.OversizeError, queued bool) {
	safe := "Your draft is kept: " + m.Keys.First(keymap.SendCut) + " sends it cut."
	switch up := m.Keys.First(keymap.ListUp); {
	case queued:
		safe = "The message stays queued; " + up + " moves it back to the draft."
	case m.composer.Superseded():
		safe = "Your message was not sent; " + up + " recalls it."
	}
	ways := strings.Join(append([]string{safe}, over.Ways(remedies(over))...), "\n")
	m.notice.Warn(notice.Alert{Text: over.Error(), Way: ways, Cause: notice.TooLong})
}

// remedies are the commands that help against a request that does not fit.
func remedies(over *session.OversizeError) session.Remedies {
	return session.Remedies{
		Parts: map[history.PartOf]string{
			history.PartTools: "/tools", history.PartSystem: "/system", history.PartDraft: "shorten it",
			history.PartPinned: "unpin message " + over.Pinned(), history.PartHistory: "/preset balanced",
		},
		Budget: fmt.Sprintf("/budget %d", over.Enough()),
		Window: fmt.Sprintf("/window %d", over.Enough()),
		Model:  "/model",
	}
}

// misfit is why the draft would not fit, nil where it would or where nobody knows. While a changed draft is being
// planned it is that of the draft before, so that what says it does not flicker.
func misfit(m *Model) *session.OversizeError {
	if m.turn.Busy || m.composer.Empty() || m.ReadOnly {
		return nil
	}
	return m.current.LastOversize()
}

// misfitTitle says by how much the draft does not fit, and what the request holds in any case.
func misfitTitle(over *session.OversizeError) (title, parts string) {
	draft, fixed := 0, 0
	for _, p := range over.Over.Parts {
		if p.Kind == history.PartDraft {
			draft = p.Tokens
		} else {
			fixed += p.Tokens
		}
	}
	parts = "your message ~" + theme.Thousands(draft) + ", fixed ~" + theme.Thousands(fixed)
	return theme.Thousands(over.Over.Need-over.Over.Have) + " tokens too many", parts
}

// sendCut sends a message that does not fit, cut as the user wants it.
func (m *Model) sendCut() tea.Cmd {
	switch {
	case m.turn.Busy && !m.composer.Empty() && !m.composer.IsCommand(m.composer.Shown()):
		return m.enqueue(true)
	case m.composer.Empty() || misfit(m) == nil && !m.notice.Is(notice.TooLong):
		return m.notice.Say(m.Keys.First(keymap.SendCut) + " sends a message that is too long, cut; there is none.")
	case m.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	if name, text := slash.Cut(m.composer.Text()); name == "alone" && m.composer.IsCommand(m.composer.Shown()) {
		m.composer.Set("")
		return m.sendAlone(text, true)
	}
	return m.sendDraft(true)
}

// agreeToAddress says how the user agrees to the address that an endpoint is at now, "" for any other error.
func (m *Model) agreeToAddress(err error) string {
	if notReady(err) != notice.OtherAddress {
		return ""
	}
	return m.Keys.First(keymap.Models) + ", then " + m.Keys.First(keymap.Choose) + ", agrees to the new address."
}

// notReady is what an alert is about that says why no turn can begin; of no such reason, that the turn failed.
func notReady(err error) notice.Cause {
	if err == nil {
		return notice.Failed
	}
	if other := (*session.OtherAddressError)(nil); errors.As(err, &other) {
		return notice.OtherAddress
	}
	return notice.Unreachable
}

// wayOut says what the user can do about a turn that failed with err, "" for nothing.
func (m *Model) wayOut(err error) string {
	switch {
	case errors.Is(err, session.ErrNothingOlder), errors.Is(err, session.ErrNothingToAnswer):
		return ""
	case m.composer.Sending() != nil && m.Session.Ready() != nil:
		return joined(m.agreeToAddress(err), "The draft is kept.")
	case notReady(err) == notice.OtherAddress:
		return m.agreeToAddress(err)
	case m.composer.Superseded():
		return "Your message was not sent; " + m.Keys.First(keymap.ListUp) + " recalls it."
	case m.composer.Sending() != nil && (errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrMoved)):
		return "The draft is kept."
	case m.composer.Sending() != nil:
		return "The draft is kept; " + m.Keys.First(keymap.Send) + " sends it again."
	case m.turn.Condensing:
		return "/compact tries again."
	case settings.OverBudget(err):
		return settings.WaysOut(err) + "; /retry asks again."
	}
	return "/retry asks again."
}
