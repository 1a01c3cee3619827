package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/record"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/transcript"
)

// draftChanged plans the next request anew, after the draft has rested.
func (m *Model) draftChanged() tea.Cmd { return tea.Batch(m.composer.KeepSoon(), m.current.PlanSoon()) }

// planned shows the plan of the next request.
func (m *Model) planned(e current.Planned) tea.Cmd {
	m.showNext(e.Plan, e.Err, m.current.Session.Forecast(e.Plan))
	m.current.Judge(e.Err)
	if m.current.SendsNow(m.composer.Area.Changes()) && !m.turn.Busy && m.current.Judged() {
		m.notice.Hush()
		return m.send()
	}
	if m.current.Oversize() == nil && m.notice.Resolve(notice.TooLong) {
		m.arrange()
	}
	if m.panel.Whatif != nil {
		return m.updatePanel(panel.Replan{})
	}
	again := tea.Batch(m.inspector.Refresh(), m.inTranscript((*transcript.Model).AskLastWhole))
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
	model := m.current.Session.Model()
	m.panel.Judge(model.Window())
	if actual, ok := model.TrueWindow(); ok {
		windows := model.Windows()
		set := windows.Chosen
		if set.Tokens == 0 {
			set = windows.Configured
		}
		m.panel.Contradict(set, actual, m.keys.First(keymap.Adopt))
	}
	showCosts(m)
	m.panel.Forecast = panel.ForecastOf(known, plan)
	if m.panel.Shown() == &m.panel.Next && (err == nil || len(plan.Entries) > 0) {
		m.chat.Judge(plan)
	}
}

// showCosts shows what the next request would cost, which limit it would exceed, and what the session has spent.
func showCosts(m *Model) {
	s, next := m.current.Session, &m.panel.Next
	next.Input = s.Model().InputCost(next.Plan.Sum)
	next.Limit = s.Over(next.Plan).Short()
	next.Spent = s.Now().Sums.Session.Spent.Sentence()
}
