package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/session/store"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/sessions"
)

// openSessions lists the stored sessions that a filter leaves.
func (m *Model) openSessions(filter string) tea.Cmd {
	if m.With.Store == nil {
		return m.notice.Error("This chat is not saved, so there is no list of chats.")
	}
	cmd := m.sessions.Open(filter)
	m.dialogs.Open(m.sessions)
	return cmd
}

// sessionsScreen is what the list of sessions has the screen do.
func (m *Model) sessionsScreen() sessions.Screen {
	return sessions.Screen{
		Close: func() { m.dialogs.Close(m.sessions) },
		New:   func() tea.Cmd { return m.do(keymap.New) },
		Open: func(id string, message int64, found string) tea.Cmd {
			at := conversation.Arrival{Message: message, Text: found}
			switch _, loaded := m.Chat.Messages.Find(message); {
			case id == m.Info.ID && message == 0:
				m.bare()
				return nil
			case id == m.Info.ID && loaded:
				m.bare()
				m.At = at
				return m.arrive(true)
			case message == 0:
				return m.openStored(id, at)
			}
			// A long session is read as far as the message first.
			return tea.Batch(m.notice.Say("Opening the chat…"), m.openStored(id, at))
		},
		Fork: func(id, name string) tea.Cmd {
			return m.leaveFor(m.ForkedStored(id, name))
		},
		Changed: func() { m.Info = m.Session.Info() },
		Rename: func(id, title string) func(context.Context) error {
			open, db := m.background.Find(id), m.With.Store
			if id == m.Info.ID {
				open = m.shown
			}
			return func(ctx context.Context) error {
				if open != nil {
					return open.Session.Set(ctx, session.Settings{Title: &title})
				}
				return db.Rename(ctx, id, title, store.TitleUser)
			}
		},
		State:     m.background.State,
		Unindexed: func() int64 { return m.upkeep.Unindexed },
	}
}

// conversationScreen is what a conversation has the rest of the screen do.
func (m *Model) conversationScreen() conversation.Screen {
	return conversation.Screen{
		Shows:      func(c *conversation.Model) bool { return c == m.shown },
		Loaded:     m.loaded,
		Leased:     m.leased,
		Fits:       func() { m.notice.Resolve(notice.TooLong) },
		Quiet:      func() bool { return m.notice.Sentence() == "" },
		Dialogs:    &m.dialogs,
		Do:         m.do,
		Settled:    m.settled,
		Switched:   m.versionSwitched,
		Gone:       m.closeGone,
		Touched:    func() bool { return m.confirm.Keys() > 0 },
		Reached:    m.reached,
		Transcript: m.transcriptScreen(),
		Panel:      m.panelScreen(),
	}
}
