package ui

import tea "charm.land/bubbletea/v2"

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
	m.showPanel()
	return m.panel.Load(turn, id)
}
