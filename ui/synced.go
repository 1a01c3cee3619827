package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// synced shows what a sync with other machines has changed.
func (m *Model) synced(sessions []string) tea.Cmd {
	var list tea.Cmd
	if len(sessions) > 0 && slices.Contains(m.dialogs, dialog(m.sessions)) {
		list = m.sessions.Reread()
	}
	if !slices.Contains(sessions, m.Session.Info().ID) {
		return tea.Batch(list, m.current.FindChanged()) // another window may have synced
	}
	return tea.Batch(list, openChanged(m))
}

// openChanged takes over what was changed in the session on the screen, now or when its answer is complete.
func openChanged(m *Model) tea.Cmd {
	m.current.Stale = true
	return rereadOpen(m)
}

// rereadOpen takes over what was changed in the session on the screen, where that was and no answer arrives.
func rereadOpen(m *Model) tea.Cmd {
	if !m.current.Stale || m.turn.Busy || !m.Session.Now().Whole {
		return nil
	}
	m.current.Stale = false
	return m.current.Reread()
}

// reread shows what was changed in the session on the screen. The cursor, the page and the draft stay as they are.
func reread(m *Model, e current.Reread) tea.Cmd {
	switch {
	case e.Gone && m.turn.Busy:
		m.current.Stale = true
		return nil
	case e.Gone:
		return closeGone(m)
	case e.Later:
		m.current.Stale = true
		return nil
	}
	trashed := m.Info.Deleted.IsZero() && !e.Row.Deleted.IsZero()
	m.current.Refresh()
	m.panel.ToNext()
	m.chat.Reread(m.Session.Branch(), e.Receipts, m.confirm.Keys() == 0)
	var sentence tea.Cmd
	switch {
	case trashed:
		sentence = m.notice.Say("This chat was moved to the trash on another machine. It stays open here; " +
			m.Keys.First(keymap.Sessions) + " lists the trash.")
	case e.Parts:
		sentence = m.notice.Say("Another machine went on from an earlier message: " + m.Keys.First(keymap.Earlier) +
			" and " + m.Keys.First(keymap.Later) + " there switch.")
	case e.Added > 0:
		sentence = m.notice.Say("Continued on another machine: " + theme.Plural(e.Added, "new message") + ".")
	}
	return tea.Batch(sentence, m.draftChanged(), m.chat.SearchOn())
}

// closeGone closes the session on the screen, which was deleted permanently on another machine, for a new one. What is
// typed is the user's, and stays.
func closeGone(m *Model) tea.Cmd {
	m.composer.EndEdit()
	m.bare()
	m.notice.News("The chat that was open here was deleted permanently on another machine. This is a new chat.")
	return m.current.New()
}
