package ui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/theme"
)

// cost is what a past request cost, or what the input of the next one would: "cost $0.0041", "~$0.002 in".
// It is empty where there is nothing to say.
func (r *request) cost() string {
	if r.past != nil {
		if cost := session.CostOf(r.past.Request).String(); cost != "" {
			return "cost " + cost
		}
		return ""
	}
	if !r.ready || !r.input.Known() {
		return ""
	}
	return r.input.String() + " in"
}

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
	m.panel.next.input = m.session.InputCost(m.panel.next.plan, session.Trial{})
}

// costBeside puts the cost at the end of a line where there is room, and hands it back where there is none.
func (r *request) costBeside(st theme.Styles, line string, w int) (string, []string) {
	cost := r.cost()
	if cost == "" {
		return line, nil
	}
	text := strings.TrimRight(line, " ")
	cost = st.Text.Render(cost)
	if theme.Width(text)+theme.Width(cost)+len("   ") > w {
		return line, []string{cost}
	}
	return theme.Spread(text, cost+" ", w), nil
}
