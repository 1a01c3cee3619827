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
)

// tooLong says by how much a message does not fit and what helps. The draft stays, or comes back.
func (m *Model) tooLong(over *session.OversizeError) tea.Cmd {
	way := "Your draft is kept: " + m.keys.First(keymap.SendCut) + " sends it cut."
	if m.composer.Superseded() {
		way = "Your message was not sent; " + m.keys.First(keymap.Older) + " recalls it."
	}
	m.notice.Warn(notice.Alert{Text: over.Sentence(cureFor(over)) + ".", Way: way, Cause: notice.TooLong})
	m.arrange()
	return nil
}

// cureFor names the command that helps against a part of a request that does not fit.
func cureFor(over *session.OversizeError) func(string) string {
	return func(what string) string {
		switch what {
		case string(history.PartSystem):
			return "/system"
		case string(history.PartPinned):
			return "/auto " + over.Pinned()
		case string(history.PartDraft):
			return "shorten it"
		case string(history.PartHistory):
			return "/preset balanced"
		case string(history.BoundBudget), string(history.BoundMaxContext):
			return fmt.Sprintf("/budget %d", over.Enough())
		case string(history.BoundWindow):
			if enough := over.Enough(); over.MaxWindow == 0 || over.MaxWindow >= enough {
				return fmt.Sprintf("/window %d", enough)
			}
			return "/model"
		}
		return ""
	}
}

// sendCut sends a message that does not fit, cut as the user wants it.
func (m *Model) sendCut() tea.Cmd {
	switch {
	case m.turn.Busy && !m.composer.Empty() && !m.composer.IsCommand(m.composer.Shown()):
		return enqueue(m, session.SendOptions{Cut: true})
	case !m.notice.Is(notice.TooLong) || m.composer.Empty():
		return m.notice.Say(m.keys.First(keymap.SendCut) + " sends a message cut that does not fit; there is none.")
	case m.current.ReadOnly:
		return m.lacks(keymap.NeedOwn)
	}
	if text, alone := strings.CutPrefix(m.composer.Shown(), "/alone "); alone && m.composer.IsCommand(m.composer.Shown()) {
		m.composer.Set("")
		return m.sendAlone(strings.TrimSpace(text), true)
	}
	return m.sendAs(session.SendOptions{Cut: true})
}

// wayOut says what the user can do about a turn that failed with err, "" for nothing.
func (m *Model) wayOut(err error) string {
	switch {
	case errors.Is(err, session.ErrNothingOlder), errors.Is(err, session.ErrNothingToAnswer):
		return ""
	case m.composer.Sending() != nil && m.current.Session.Model().Unready != nil:
		return "The draft is still here."
	case m.composer.Superseded():
		return "Your message was not sent; " + m.keys.First(keymap.Older) + " recalls it."
	case m.composer.Sending() != nil && (errors.Is(err, store.ErrReadOnly) || errors.Is(err, store.ErrMoved)):
		return "The draft is still here."
	case m.composer.Sending() != nil:
		return "The draft is still here; " + m.keys.First(keymap.Send) + " sends it again."
	case m.turn.Condensing:
		return "/compact tries again."
	case settings.OverBudget(err):
		return "Shorten or exclude something, or raise the budget with /budget; /retry asks again."
	}
	return "/retry asks again."
}
