package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/current"
	"winnow/ui/layout"
	"winnow/ui/notice"
)

// draftChanged plans the next request anew, after the draft has rested.
func (m *Model) draftChanged() tea.Cmd { return tea.Batch(m.composer.KeepSoon(), m.current.PlanSoon()) }

// planned shows the plan of the next request.
func (m *Model) planned(e current.Planned) tea.Cmd {
	m.showNext(e.Plan, e.Err, m.Session.Forecast(e.Plan))
	m.current.Judge(e.Err)
	if m.current.Oversize() == nil {
		m.notice.Resolve(notice.TooLong)
	}
	if m.panel.Whatif != nil {
		return m.panel.Try()
	}
	again := m.inspector.Refresh()
	if e.Err != nil {
		return again
	}
	var sentence tea.Cmd
	if m.notice.Sentence() == "" { // One that is being shown is not covered: then the next plan says it.
		sentence = m.announceRepairs()
	}
	if e.Exact || m.turn.Busy {
		return tea.Batch(again, sentence)
	}
	return tea.Batch(again, sentence, m.current.CountExactly(e.Plan))
}

// showNext shows the plan of the next request, or why there is none. A request of the past that is
// on the screen stays there.
func (m *Model) showNext(plan history.Plan, err error, known record.Forecast) {
	m.panel.Set(plan, err)
	m.chat.Next = m.panel.Next.Plan
	m.composer.Ratio = m.panel.Next.Plan.Sum.Ratio
	m.panel.Price()
	m.panel.Forecast = known
	if m.panel.Shown() == &m.panel.Next && (err == nil || len(plan.Entries) > 0) {
		m.chat.Judge(plan, 0)
	}
}

// openPast shows the request that made a message: an answer's own, the question's first; for a failure the one that
// failed.
func (m *Model) openPast() tea.Cmd {
	id, turn, ok := m.chat.RequestOf()
	switch {
	case !ok:
		return m.notice.Say("No request was sent for this message.")
	case turn == 0:
		return m.notice.Say("The record of this request is still loading.")
	}
	m.layout.Context = layout.AsPanel
	m.setFocus(panelPane)
	return m.panel.Load(turn, id)
}
