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

// conversationScreen returns what a conversation needs from the rest of the screen.
func conversationScreen(m *Model) conversation.Screen {
	return conversation.Screen{
		IsShown:     func(c *conversation.Model) bool { return c == m.shown },
		Loaded:      m.loaded,
		Leased:      m.leased,
		DraftFits:   func() { m.notice.Resolve(notice.DraftTooLong) },
		CanAnnounce: func() bool { return m.notice.Sentence() == "" },
		Dialogs:     &m.dialogs,
		Switched:    m.versionSwitched,
		Purged:      m.closeGone,
		KeyPressed:  func() bool { return m.confirm.keys > 0 },
		Reached:     m.reached,
		Transcript:  transcriptScreen(m),
		Panel:       panelScreen(m),
	}
}

// transcriptScreen returns what the transcript needs from the rest of the screen.
func transcriptScreen(m *Model) transcript.Hooks {
	return transcript.Hooks{ClearNotice: m.notice.ClearSentence}
}

// panelScreen returns what the panel needs from the rest of the screen.
func panelScreen(m *Model) panel.Hooks {
	return panel.Hooks{
		ListedModels: func() []llm.Model { return m.settings.Models },
		ListModels:   func() tea.Cmd { return m.settings.ListModels() },
		LeaveWhatif: func() tea.Cmd {
			m.LeaveWhatif()
			return m.draftChanged() // the next request was not planned during the trial
		},
		ApplySettings: func(to session.Settings, said string) tea.Cmd { return m.settings.Apply(to, said) },
	}
}

// composerScreen returns what the composer needs from the rest of the screen.
func composerScreen(m *Model) composer.Hooks {
	return composer.Hooks{
		Focus: func() { m.setFocus(draftPane) },
		Focused: func() bool {
			return m.focus == draftPane && !m.covered() && !(m.Question.HasQuestion() && m.Turn.Busy)
		},
		Send: func(cut bool) tea.Cmd {
			if cut {
				return m.sendCut()
			}
			return m.send()
		},
		RunCommand: palette{m}.run,
		OpenList:   m.dialogs.OpenList,
		ShowText:   m.dialogs.OpenText,
		SetNotice:  m.notice.ShowNews,
	}
}

// sessionsScreen returns what the list of sessions needs from the rest of the screen.
func sessionsScreen(m *Model) sessions.Hooks {
	return sessions.Hooks{
		Close: func() { m.dialogs.Close(m.sessions) },
		New:   func() tea.Cmd { return m.do(keymap.New) },
		Open: func(id string, message int64, found string) tea.Cmd {
			at := conversation.Destination{Message: message, Text: found}
			switch _, loaded := m.Chat.Messages.Find(message); {
			case id == m.Info.ID && message == 0:
				m.clearOverlays()
				return nil
			case id == m.Info.ID && loaded:
				m.clearOverlays()
				m.Destination = at
				return m.goToDestination(true)
			case message == 0:
				return m.openStored(id, at)
			}
			// opening a session takes longer if it must be loaded back to an old message
			return tea.Batch(m.notice.Say("Opening the chat…"), m.openStored(id, at))
		},
		Changed: func() { m.Info = m.Session.Info() },
		Rename: func(id, title string) func(context.Context) error {
			open, db := m.background.ByID(id), m.Deps.Store
			if id == m.Info.ID {
				open = m.shown
			}
			return func(ctx context.Context) error {
				if open != nil {
					return open.Session.Set(ctx, session.Settings{
						Title: &title,
					})
				}
				return db.UpdateSession(ctx, id, func(row *store.Session) {
					row.Title, row.TitleFrom = title, store.TitleUser
				})
			}
		},
		StatusOf: m.background.State,
	}
}

// settingsScreen returns what the settings need from the rest of the screen.
func settingsScreen(m *Model) settings.Hooks {
	return settings.Hooks{
		Dialogs:    &m.dialogs,
		OpenEditor: composer.OpenEditor,
		AskAgain: func(id int64, ref string) tea.Cmd {
			message, _ := m.Chat.Message(id)
			return m.askAgain(message, ref)
		},
		Restyle: m.restyle,
	}
}
