package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// compact has the older messages condensed, or sends them again.
func (m *Model) compact(args string) tea.Cmd {
	switch {
	case m.turn.busy:
		return m.stillArriving()
	case args == "":
		turn := m.begin(nil, m.session.Compact)
		m.turn.condensing = true
		return turn
	case args != "off":
		return m.complain("It is /compact, or /compact off.")
	}
	s := m.session
	return m.behind(func(ctx context.Context) tea.Msg {
		return settledMsg{text: "The messages themselves are sent again where they fit.", err: s.SetSummaryAlways(ctx, false)}
	})
}
