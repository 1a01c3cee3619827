package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
)

// findPrices asks what the model costs, where nobody said it yet.
func (m *Model) findPrices(s *session.Session) tea.Cmd {
	return m.behind(func(ctx context.Context) tea.Msg {
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
