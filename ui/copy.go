package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
)

// mostOSC is how much text all terminals take by OSC 52: xterm cuts what is above 100,000 bytes in
// base64, and others follow it.
const mostOSC = 74_000

// copiedMsg says what became of a copy for the system's clipboard.
type copiedMsg struct {
	what string
	long bool // longer than all terminals take
	err  error
}

// copyText gives a text to the terminal and to the system's clipboard.
func copyText(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg {
		return copiedMsg{what, len(text) > mostOSC, clipboard.WriteAll(text)}
	})
}

func (m *Model) copied(msg copiedMsg) tea.Cmd {
	switch {
	case msg.err == nil:
		return m.notice.Say("Copied " + msg.what + " to the system's clipboard, and through the terminal (OSC 52).")
	case msg.long:
		return m.notice.Error("Sent " + msg.what + " to the terminal (OSC 52), and many terminals cut so much; this machine has no clipboard of its own. /export writes a file.")
	}
	return m.notice.Say("Sent " + msg.what + " to the terminal's clipboard (OSC 52); this machine has none of its own.")
}

// copyMessages copies what args name, as transcript.Model.ToCopy has it.
func (m *Model) copyMessages(args string) tea.Cmd {
	what, text, fault := m.chat.ToCopy(args, m.focus == transcriptPane)
	if fault != "" {
		return m.notice.Error(fault)
	}
	return copyText(what, text)
}
