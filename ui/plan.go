package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/layout"
)

// draftChanged saves the draft and plans the next request again, once typing pauses.
func (m *Model) draftChanged() tea.Cmd { return tea.Batch(m.composer.SaveSoon(), m.PlanSoon()) }

// openPast shows the past request of the message under the cursor: the one that an answer came from, the first one sent
// for a user's message, or the one that failed.
func (m *Model) openPast() tea.Cmd {
	id, turn, ok := m.Chat.RequestAtCursor()
	switch {
	case !ok:
		return m.notice.Say("No request was sent for this message.")
	case turn == 0:
		return m.notice.Say("The record of this request is still loading.")
	}
	m.layout.Context = layout.ContextPanel
	m.setFocus(panelPane)
	return m.Panel.LoadPast(turn, id)
}
