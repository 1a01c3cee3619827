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

// setting is a command that does something to the settings.
func setting(do func(*settings.Model, string) tea.Cmd) func(*Model, string) tea.Cmd {
	return func(m *Model, args string) tea.Cmd { return do(m.settings, args) }
}

// settingsScreen is what the settings have the screen do.
func (m *Model) settingsScreen() settings.Screen {
	return settings.Screen{
		Open: func(l *list.Model, chosen func(string) tea.Cmd) {
			m.overlays.open(&listOverlay{
				Model: l, chosen: chosen, stays: l.Title == settings.ToolsTitle, tries: l.Title == settings.ThemesTitle,
			})
		},
		Read: func(title, text string) { m.overlays.open(newReader(title, text)) },
		Edit: composer.Edit,
		Ask: func(id int64, ref string) tea.Cmd {
			message, _ := m.chat.Message(id)
			return m.askAgain(message, ref)
		},
		Restyle: m.restyle,
		Done:    m.settled,
		Begun:   func() bool { return !m.chat.Empty() },
		Covered: func() bool { return m.overlays.any() && !m.overlays.onTop(panelOverlay{}) },
	}
}

// reached shows whether the session's model can be asked.
func (m *Model) reached(replaced string, err error) tea.Cmd {
	// Another model, of which its end is on its way.
	chosen := replaced == "" && m.current.Session.Model().Ref() != m.current.Ref
	if m.turn.Busy || chosen {
		return nil
	}
	m.current.Refresh()
	if err != nil && !errors.Is(err, context.Canceled) {
		m.notice.Warn(notice.Alert{
			Text: theme.Sentence(err), Way: m.keys.First(keymap.Models) + " chooses another model",
			Cause: notice.Unreachable,
		})
		m.arrange()
	}
	if replaced != "" {
		return tea.Batch(m.notice.Say(replaced), m.draftChanged())
	}
	return nil
}
