package ui

import (
	"context"
	"errors"

	"winnow/ui/keymap"
	"winnow/ui/notice"
	"winnow/ui/settings"
	"winnow/ui/theme"
)

// Persona is a named system prompt that the user keeps in a file.
type Persona = settings.Persona

// reached shows that the session's model can be asked, or err, which says why not.
func (m *Model) reached(err error) {
	if m.Turn.Busy || m.Session.Model().Ref() != m.Ref { // the model is being changed; its own check follows
		return
	}
	m.Refresh()
	if err != nil && !errors.Is(err, context.Canceled) {
		m.notice.ShowAlert(notice.Alert{
			Text: theme.Sentence(err), WayOut: m.Keys.First(keymap.Models) + " chooses another model",
			Cause: notice.ModelUnreachable,
		})
	}
}
