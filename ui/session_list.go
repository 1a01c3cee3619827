package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/current"
	"winnow/ui/keymap"
	"winnow/ui/sessions"
	"winnow/ui/theme"
)

// openSessions lists the stored sessions that a filter leaves.
func (m *Model) openSessions(filter string) tea.Cmd {
	if m.With.Store == nil {
		return m.notice.Error("This chat is not saved, so there is no list of chats.")
	}
	cmd := m.sessions.Open(filter)
	m.open(m.sessions)
	return cmd
}

// sessionsScreen is what the list of sessions has the screen do.
func (m *Model) sessionsScreen() sessions.Screen {
	return sessions.Screen{
		Close: func() { m.close(m.sessions) },
		New:   func() tea.Cmd { return m.do(keymap.New) },
		Open: func(id string, message int64, found string) tea.Cmd {
			at := current.Arrival{Message: message, Text: found}
			switch _, loaded := m.chat.Messages.Find(message); {
			case id == m.Info.ID && message == 0:
				m.bare()
				return nil
			case id == m.Info.ID && loaded:
				m.bare()
				m.current.At = at
				return m.arrive(true)
			case message == 0:
				return m.openStored(id, at)
			}
			// A long session is read as far as the message first.
			return tea.Batch(m.notice.Say("Opening the chat…"), m.openStored(id, at))
		},
		Fork: func(id, name string) tea.Cmd {
			return m.leaveFor(func(o *current.Model) tea.Cmd { return o.ForkStored(id, name) })
		},
		Changed: func() { m.Info = m.Session.Info() },
		Rename: func(id, title string) func(context.Context) error {
			open, db := m.current.Background.Find(id), m.With.Store
			if id == m.Info.ID {
				open = m.Session
			}
			return func(ctx context.Context) error {
				if open != nil {
					return open.Set(ctx, session.Settings{Title: &title})
				}
				return db.Rename(ctx, id, title, store.TitleUser)
			}
		},
		State:     m.current.Background.State,
		Unindexed: func() int64 { return m.upkeep.Unindexed },
	}
}

// currentScreen is what the session on the screen has the rest of the screen do.
func (m *Model) currentScreen() current.Screen {
	return current.Screen{
		Opened: m.opened,
		NotOpened: func(err error) tea.Cmd {
			return tea.Batch(m.composer.Stay(), m.notice.Error(theme.Sentence(err)), m.draftChanged())
		},
		Loaded: m.loaded,
		Leased: func() {
			if m.ReadOnly {
				m.endQuestion()
				m.composer.Yield()
				m.arrange()
			}
		},
		Planned:  m.planned,
		PastRead: m.draftChanged,
		Switched: m.versionSwitched,
		Changed:  func() tea.Cmd { return openChanged(m) },
		Reread:   func(e current.Reread) tea.Cmd { return reread(m, e) },
		Reached:  m.reached,
	}
}
