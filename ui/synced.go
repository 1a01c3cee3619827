package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// synced shows the sessions that a sync with other machines has changed.
func (m *Model) synced(sessions []string) tea.Cmd {
	var list tea.Cmd
	if len(sessions) > 0 && m.dialogs.IsOpen(m.sessions) {
		list = m.sessions.Refresh()
	}
	if !slices.Contains(sessions, m.Session.Info().ID) {
		return tea.Batch(list, m.RereadIfChanged()) // another window may have synced
	}
	return tea.Batch(list, m.RereadSoon())
}

// closeGone replaces the session on the screen, which was deleted permanently on another machine, by a new one. The
// draft stays.
func (m *Model) closeGone() tea.Cmd {
	m.composer.EndEdit()
	m.clearOverlays()
	m.notice.ShowNews("The chat that was open here was deleted permanently on another machine. This is a new chat.")
	return m.enter(m.OpenNew())
}
