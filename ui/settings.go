package ui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// Persona is a system prompt that the user keeps in a file.
type Persona = settings.Persona

// reached shows whether the session's model can be asked.
func (m *Model) reached(replaced string, err error) tea.Cmd {
	// Another model, of which its end is on its way.
	chosen := replaced == "" && m.Session.Model().Ref() != m.Ref
	if m.Turn.Busy || chosen {
		return nil
	}
	m.Refresh()
	if err != nil && !errors.Is(err, context.Canceled) {
		m.notice.Warn(notice.Alert{
			Text: theme.Sentence(err), Way: m.Keys.First(keymap.Models) + " chooses another model",
			Cause: notice.Unreachable,
		})
	}
	if replaced != "" {
		return tea.Batch(m.notice.Say(replaced), m.draftChanged())
	}
	return nil
}
