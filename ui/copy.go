package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/event"
)

// copyText gives a text to the terminal and to the system's clipboard.
func copyText(what, text string) tea.Cmd {
	return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), func() tea.Msg {
		return copied(what, clipboard.WriteAll(text))
	})
}

// copied says what became of a text for the system's clipboard, which goes through the terminal as well.
func copied(what string, err error) event.Notice {
	if err != nil {
		return event.Notice{Text: "sent " + what + " to the terminal’s clipboard", Done: true}
	}
	return event.Notice{Text: "copied " + what, Done: true}
}

// copyMessages copies what args name, as transcript.Model.ToCopy has it.
func (m *Model) copyMessages(args string) tea.Cmd {
	what, text, fault := m.chat.ToCopy(args, m.focus == transcriptPane)
	if fault != "" {
		return m.notice.Error(fault)
	}
	return copyText(what, text)
}
