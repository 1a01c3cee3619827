package ui

import (
	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// placeholder returns the text shown in an empty draft of w cells.
func placeholder(m *Model, w int) string {
	text, idle := "Message", m.focus == draftPane && !m.Question.HasQuestion() && !m.Turn.Busy
	switch {
	case m.ReadOnly:
		text = "Open in another window; read-only here"
	case m.focus == transcriptPane && !m.Chat.HasSelection():
		text = m.Keys.First(keymap.Back) + " to write a message"
	case idle && m.Chat.Empty() && m.UsesGuide():
		text = "Ask the guide, or press " + m.Keys.First(keymap.Focus) + " to take a suggestion"
	case idle && m.Chat.Empty():
		text = "Write a message, @ for a file, / for a command"
	case idle && m.Info.Turns <= 1:
		text = "Message, or " + m.Keys.First(keymap.Focus) + " to copy, edit or ask again"
	}
	if theme.Width(text) > w {
		text = "Message"
	}
	return theme.Fit(text, max(0, w))
}
