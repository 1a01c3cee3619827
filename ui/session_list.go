package ui

import (
	tea "charm.land/bubbletea/v2"
)

// openSessions lists the stored sessions that match a filter, "" for all.
func (m *Model) openSessions(filter string) tea.Cmd {
	if m.Deps.Store == nil {
		return m.notice.Error("This chat is not saved, so there is no list of chats.")
	}
	cmd := m.sessions.Open(filter)
	m.dialogs.Open(m.sessions)
	return cmd
}
