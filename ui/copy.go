package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/event"
)

// mostOSC is how much text all terminals take by OSC 52: xterm cuts what is above 100,000 bytes in
// base64, and others follow it.
const mostOSC = 74_000

// copyText gives a text to the terminal and to the system's clipboard.
func copyText(what, text string) tea.Cmd {
	return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), func() tea.Msg {
		return copied(what, len(text), clipboard.WriteAll(text))
	})
}

// copied says what became of so many bytes for the system's clipboard, which go through the terminal as well.
func copied(what string, n int, err error) event.Notice {
	switch {
	case err == nil:
		return event.Notice{Text: "copied " + what, Done: true}
	case n > mostOSC:
		return event.Notice{
			Text: "Sent " + what + " to the terminal’s clipboard, which may cut it: many terminals take less. " +
				"/export writes a file.", Error: true,
		}
	}
	return event.Notice{Text: "copied " + what + " (through the terminal)", Done: true}
}

// copyMessages copies what args name, as transcript.Model.ToCopy has it.
func (m *Model) copyMessages(args string) tea.Cmd {
	what, text, fault := m.chat.ToCopy(args, m.focus == transcriptPane)
	if fault != "" {
		return m.notice.Error(fault)
	}
	return copyText(what, text)
}
