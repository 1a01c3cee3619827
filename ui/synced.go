package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// synced shows what a sync with other machines has changed.
func (m *Model) synced(sessions []string) tea.Cmd {
	var list tea.Cmd
	if len(sessions) > 0 && m.dialogs.Has(m.sessions) {
		list = m.sessions.Reread()
	}
	if !slices.Contains(sessions, m.Session.Info().ID) {
		return tea.Batch(list, m.FindChanged()) // another window may have synced
	}
	return tea.Batch(list, m.Changed())
}

// closeGone closes the session on the screen, which was deleted permanently on another machine, for a new one. What is
// typed is the user's, and stays.
func (m *Model) closeGone() tea.Cmd {
	m.composer.EndEdit()
	m.bare()
	m.notice.News("The chat that was open here was deleted permanently on another machine. This is a new chat.")
	return m.enter(m.Begun())
}
