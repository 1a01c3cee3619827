package ui

import "winnow/session"

// cost is what a past request cost, or what the input of the next one would: "$0.0041", "~$0.002 in". It
// is empty where there is nothing to say.
func (r *request) cost() string {
	if r.past != nil {
		return session.CostOf(r.past.Request).String()
	}
	if !r.ready || !r.input.Known() {
		return ""
	}
	return r.input.String() + " in"
}

// showCost learns what the input of the next request would cost.
func (m *Model) showCost() {
	m.panel.next.input = m.session.InputCost(m.panel.next.plan, session.Trial{})
}
