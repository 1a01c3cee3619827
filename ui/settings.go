package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/composer"
	"winnow/ui/keymap"
	"winnow/ui/list"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// Persona is a system prompt that the user keeps in a file.
type Persona = settings.Persona

// settingsScreen is what the settings have the screen do.
func (m *Model) settingsScreen() settings.Screen {
	return settings.Screen{
		Open: func(l *list.Model, chosen func(string) tea.Cmd) {
			m.dialogs.List(l, chosen, nil).Stays = l.Title == settings.ToolsTitle
		},
		Read: m.dialogs.Read,
		Edit: composer.Edit,
		Ask: func(id int64, ref string) tea.Cmd {
			message, _ := m.Chat.Message(id)
			return m.askAgain(message, ref)
		},
		Restyle: m.restyle,
		Done:    m.settled,
		Begun:   func() bool { return !m.Chat.Empty() },
		Covered: m.covered,
	}
}

// reached shows whether the session's model can be asked.
func (m *Model) reached(err error) {
	if m.Turn.Busy || m.Session.Model().Ref() != m.Ref { // Of another model, the end is on its way.
		return
	}
	m.Refresh()
	if err != nil && !errors.Is(err, context.Canceled) {
		m.notice.Warn(notice.Alert{
			Text: theme.Sentence(err), Way: m.Keys.First(keymap.Models) + " chooses another model",
			Cause: notice.Unreachable,
		})
	}
}
