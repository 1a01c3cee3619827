package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/keymap"
)

// planned is what the newest plan of a draft says of whether it fits.
type planned struct {
	generation int
	oversize   *session.OversizeError
}

// draftOversize says why the draft would not fit, as far as its plan is made already. The session finds out
// about any other one before it stores it.
func (m *Model) draftOversize() *session.OversizeError {
	if m.known.generation != m.generation {
		return nil
	}
	return m.known.oversize
}

// tooLong says by how much a message does not fit and what helps. The draft stays, or comes back.
func (m *Model) tooLong(over *session.OversizeError) tea.Cmd {
	m.oversize = over
	m.alert = over.Sentence(m.cureFor(over)) + "."
	m.way = "Your draft is kept: " + m.keys.First(keymap.SendCut) + " sends it cut."
	if m.turn.sent != nil && m.turn.sent.edit.message == 0 && !m.composer.Empty() {
		m.way = "Your message was not sent; " + m.keys.First(keymap.Older) + " recalls it."
	}
	m.arrange()
	return nil
}

// cureFor names the command that helps against a part of a request that does not fit.
func (m *Model) cureFor(over *session.OversizeError) func(string) string {
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
			if _, there := commandNamed("window"); there && over.Assumed {
				return fmt.Sprintf("/window %d", over.Enough())
			}
			return "/model"
		}
		return ""
	}
}

// sendCut sends a message that does not fit, cut as the user wants it.
func (m *Model) sendCut() tea.Cmd {
	switch {
	case m.oversize == nil || m.turn.busy || m.composer.Empty():
		return m.say(m.keys.First(keymap.SendCut) + " sends a message cut that does not fit; there is none.")
	case m.elsewhere:
		return m.onlyRead()
	}
	if text, alone := strings.CutPrefix(m.composer.Shown(), "/alone "); alone && m.isCommand(m.composer.Shown()) {
		m.composer.Set("")
		return m.sendAloneAs(session.How{Alone: true, Cut: true}, strings.TrimSpace(text))
	}
	return m.sendAs(session.How{Cut: true})
}
