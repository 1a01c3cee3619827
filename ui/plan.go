package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/conversation"
	"winnow/ui/layout"
	"winnow/ui/notice"
)

// draftChanged plans the next request anew, after the draft has rested.
func (m *Model) draftChanged() tea.Cmd { return tea.Batch(m.composer.KeepSoon(), m.PlanSoon()) }

// planned tells what else there is to say of a plan of the next request, which is shown.
func (m *Model) planned(e conversation.Planned) tea.Cmd {
	if m.Oversize() == nil {
		m.notice.Resolve(notice.TooLong)
	}
	if m.Panel.Whatif != nil {
		return m.Panel.Try()
	}
	again := m.inspector.Refresh()
	if e.Err != nil {
		return again
	}
	var sentence tea.Cmd
	if m.notice.Sentence() == "" { // One that is being shown is not covered: then the next plan says it.
		sentence = m.announceRepairs()
	}
	if e.Exact || m.Turn.Busy {
		return tea.Batch(again, sentence)
	}
	return tea.Batch(again, sentence, m.CountExactly(e.Plan))
}

// openPast shows the request that made a message: an answer's own, the question's first; for a failure the one that
// failed.
func (m *Model) openPast() tea.Cmd {
	id, turn, ok := m.Chat.RequestOf()
	switch {
	case !ok:
		return m.notice.Say("No request was sent for this message.")
	case turn == 0:
		return m.notice.Say("The record of this request is still loading.")
	}
	m.layout.Context = layout.AsPanel
	m.setFocus(panelPane)
	return m.Panel.Load(turn, id)
}
