package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/composer"
	"winnow/ui/conversation"
	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/panel"
	"winnow/ui/sessions"
	"winnow/ui/settings"
	"winnow/ui/transcript"
)

// conversationScreen is what a conversation has the rest of the screen do.
func conversationScreen(m *Model) conversation.Screen {
	return conversation.Screen{
		Shows:      func(c *conversation.Model) bool { return c == m.shown },
		Loaded:     m.loaded,
		Leased:     m.leased,
		Fits:       func() { m.notice.Resolve(notice.TooLong) },
		Quiet:      func() bool { return m.notice.Sentence() == "" },
		Dialogs:    &m.dialogs,
		Switched:   m.versionSwitched,
		Gone:       m.closeGone,
		Touched:    func() bool { return m.confirm.keys > 0 },
		Reached:    m.reached,
		Transcript: transcriptScreen(m),
		Panel:      panelScreen(m),
	}
}

// transcriptScreen is what the transcript has the screen do.
func transcriptScreen(m *Model) transcript.Screen {
	return transcript.Screen{Hush: m.notice.Hush}
}

// panelScreen is what the panel has the rest of the screen do.
func panelScreen(m *Model) panel.Screen {
	return panel.Screen{
		Listed:     func() []llm.Model { return m.settings.Models },
		ListModels: func() tea.Cmd { return m.settings.ListModels() },
		Leave: func() tea.Cmd {
			m.LeaveWhatif()
			return m.draftChanged() // What was not done for the next request meanwhile is done now.
		},
		Apply: func(to session.Settings, said string) tea.Cmd { return m.settings.Apply(to, said) },
	}
}

// composerScreen is what the composer has the rest of the screen do.
func composerScreen(m *Model) composer.Screen {
	return composer.Screen{
		Focus: func() { m.setFocus(draftPane) },
		Focused: func() bool {
			return m.focus == draftPane && !m.covered() && !(m.Question.Waits() && m.Turn.Busy)
		},
		Send: func(cut bool) tea.Cmd {
			if cut {
				return m.sendCut()
			}
			return m.send()
		},
		Run:  palette{m}.run,
		Open: m.dialogs.List,
		Read: m.dialogs.Read,
		News: m.notice.News,
	}
}

// sessionsScreen is what the list of sessions has the screen do.
func sessionsScreen(m *Model) sessions.Screen {
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
				return db.UpdateSession(ctx, id, func(row *store.Session) {
					row.Title, row.TitleFrom = title, store.TitleUser
				})
			}
		},
		State: m.background.State,
	}
}

// settingsScreen is what the settings have the screen do.
func settingsScreen(m *Model) settings.Screen {
	return settings.Screen{
		Dialogs: &m.dialogs,
		Edit:    composer.Edit,
		Ask: func(id int64, ref string) tea.Cmd {
			message, _ := m.Chat.Message(id)
			return m.askAgain(message, ref)
		},
		Restyle: m.restyle,
	}
}
