package ui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// togglePanel shows or hides the context panel, as an overlay where the screen is narrow.
func (m *Model) togglePanel() tea.Cmd {
	if m.width < wideWidth || m.height < frameHeight {
		m.cover(panelOverlay{})
		return nil
	}
	m.wantPanel = !m.wantPanel
	if !m.wantPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	m.arrange()
	return nil
}

// showPanel brings the panel on the screen and gives it the keys.
func (m *Model) showPanel() {
	m.wantPanel = true
	m.arrange()
	if m.layout.panel.Empty() {
		m.cover(panelOverlay{})
		return
	}
	m.setFocus(panelPane)
}

// narrowPanelKey is a key while the panel covers the panes.
func (m *Model) narrowPanelKey(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.keys.Pressed(msg, keymap.Back):
		return m.back()
	case m.keys.Pressed(msg, keymap.Context):
		m.uncover()
		return nil
	}
	if cmd, ok := m.elsewhereKey(msg); ok {
		return cmd
	}
	return m.panelPress(msg)
}

// pricesOf tells the panel what acts by hand cost in a session. The panel draws, and does not wait for a plan that
// is being made: meanwhile a message has the group that it had.
func (m *Model) pricesOf(s *session.Session) func(history.Entry) string {
	known := map[int64][]int64{}
	return func(e history.Entry) string {
		if group, ok := s.GroupNow(e.ID); ok {
			known[e.ID] = group
		}
		if known[e.ID] == nil {
			return ""
		}
		return m.prices(e, known[e.ID])
	}
}

// prices says what each act by hand on a message would cost or free in the next request, with its whole
// tool group, as the server counts: "p +540 · x −37". What the rules would do with a message that was
// pinned or excluded is not known before they are asked, so that is the most it can be.
func (m *Model) prices(e history.Entry, group []int64) string {
	next := &m.panel.Next
	_, ok := next.Verdict(e.Index, e.ID)
	if !ok || !next.Ready {
		return ""
	}
	var flag history.Flag
	before, after := 0, 0
	for _, id := range group {
		if mate, ok := next.Verdict(m.chat.Place[id], id); ok {
			switch {
			case mate.Pinned:
				flag = history.Pin
			case mate.Disposition == history.Excluded && mate.Cause.Code != history.CauseQuestionExcluded:
				flag = history.Exclude
			}
			after += mate.TokensAfter
			if before += mate.TokensBefore; mate.Whole && mate.Sent() {
				before += mate.TokensAfter - mate.TokensBefore // Mending it may take some.
			}
		}
	}
	k := &m.keys
	pin := k.First(keymap.Pin) + " pin " + difference(next, before-after)
	exclude := k.First(keymap.Exclude) + " exclude " + difference(next, -after)
	auto := k.First(keymap.Auto) + " auto "
	var list []string
	switch flag {
	case history.Pin:
		list = []string{auto + "up to " + difference(next, -after), exclude}
	case history.Exclude:
		list = []string{auto + "up to " + difference(next, before), pin}
	default:
		list = []string{pin, exclude}
	}
	if len(group) > 1 {
		list = append(list, "with "+theme.Plural(len(group)-1, "more"))
	}
	return strings.Join(list, " · ")
}

// difference is a number of counted tokens with its sign, as the server counts them.
func difference(r *panel.Request, n int) string {
	if n == 0 {
		return "±0"
	}
	return theme.Signed(r.Plan.Sum.Tokens(n))
}

// findPrices asks what the model costs, where nobody said it yet.
func (m *Model) findPrices(s *session.Session) tea.Cmd {
	return m.inBackground(func(ctx context.Context) tea.Msg {
		s.FindPrices(ctx)
		return pricedMsg{s}
	})
}

func (m *Model) priced(msg pricedMsg) tea.Cmd {
	if msg.session == m.session {
		m.showCost()
	}
	return nil
}

// showCost learns what the input of the next request would cost.
func (m *Model) showCost() {
	m.panel.Next.Input = m.session.InputCost(m.panel.Next.Plan, session.Trial{})
}

// pastLoadedMsg says that a session knows what its records tell.
type pastLoadedMsg struct {
	session *session.Session
	err     error
}

// loadPast reads what the records of an opened session tell about its next request.
func (m *Model) loadPast(s *session.Session) tea.Cmd {
	return m.inBackground(func(ctx context.Context) tea.Msg {
		return pastLoadedMsg{s, s.LoadPast(ctx)}
	})
}

func (m *Model) pastLoaded(msg pastLoadedMsg) tea.Cmd {
	switch {
	case msg.session != m.session:
		return nil
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err))
	}
	return m.draftChanged()
}

// announce says once, as a request leaves, which messages the model does not get any more, and the
// cures.
func (m *Model) announce() tea.Cmd {
	gone := m.panel.Outlook.Gone
	if gone.Of == 0 {
		return nil
	}
	return m.say(fmt.Sprintf("From now on the model does not see %s. %s pins a message, /budget raises the limit.",
		gone.String(), m.keys.First(keymap.Pin)))
}
