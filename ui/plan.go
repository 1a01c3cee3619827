package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/layout"
)

// draftChanged plans the next request anew, after the draft has rested.
func (m *Model) draftChanged() tea.Cmd { return tea.Batch(m.composer.KeepSoon(), m.PlanSoon()) }

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
