package ui

import (
	"context"
	"errors"

	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// Persona is a system prompt that the user keeps in a file.
type Persona = settings.Persona

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
