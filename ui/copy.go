package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"

	"winnow/ui/theme"
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

// copyText gives a stored text to the terminal and to the system's clipboard.
func (m *Model) copyText(what, text string) tea.Cmd {
	return tea.Batch(tea.SetClipboard(text), func() tea.Msg {
		return copiedMsg{what, len(text) > mostOSC, clipboard.WriteAll(text)}
	})
}

func (m *Model) copied(msg copiedMsg) tea.Cmd {
	switch {
	case msg.err == nil:
		return m.say("Copied " + msg.what + " to the system's clipboard, and through the terminal (OSC 52).")
	case msg.long:
		return m.complain("Sent " + msg.what + " to the terminal (OSC 52), and many terminals cut so much; this machine has no clipboard of its own. /export writes a file.")
	}
	return m.say("Sent " + msg.what + " to the terminal's clipboard (OSC 52); this machine has none of its own.")
}

// copyMessage copies the selected messages, else the one under the cursor, else the last answer.
func (m *Model) copyMessage() tea.Cmd {
	if ids := m.chat.Picked(); len(ids) > 0 {
		return m.copyMessages(ids...)
	}
	message, ok := m.chat.Selected()
	if m.focus != transcriptPane || !ok {
		message, ok = m.chat.LastAnswer()
	}
	if !ok {
		return m.complain("There is no text to copy.")
	}
	return m.copyMessages(message.ID)
}

// copyMessages copies the texts of messages, with a blank line between them.
func (m *Model) copyMessages(ids ...int64) tea.Cmd {
	var texts []string
	for _, id := range ids {
		if at, ok := m.chat.Place[id]; ok && m.chat.Messages[at].Content != "" {
			texts = append(texts, m.chat.Messages[at].Content)
		}
	}
	text := strings.Join(texts, "\n\n")
	if text == "" {
		return m.complain("There is no text to copy.")
	}
	what := theme.Plural(utf8.RuneCountInString(text), "character")
	if len(ids) > 1 {
		what = theme.Plural(len(texts), "message") + ", " + what
	}
	return m.copyText(what, text)
}

// copyNamed copies what follows /copy: code, or messages by their numbers; nothing is as the key.
func (m *Model) copyNamed(args string) tea.Cmd {
	switch args {
	case "":
		return m.copyMessage()
	case "code":
		return m.copyCode()
	}
	ids, fault := m.chat.Named(args)
	if fault != "" {
		return m.complain(fault)
	}
	return m.copyMessages(ids...)
}

// copyCode copies the last code block of the message under the cursor, else of the last answer.
func (m *Model) copyCode() tea.Cmd {
	message, ok := m.chat.Selected()
	if m.focus != transcriptPane || !ok {
		message, ok = m.chat.LastAnswer()
	}
	code := lastCode(message.Content)
	if !ok || code == "" {
		return m.complain("This message has no code block.")
	}
	return m.copyText("a code block of "+theme.Plural(strings.Count(code, "\n")+1, "line"), code)
}

// lastCode is the text of the last fenced code block, "" for none.
func lastCode(text string) string {
	var code, open []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && (strings.HasPrefix(bare, "```") || strings.HasPrefix(bare, "~~~")):
			fence = bare[:len(bare)-len(strings.TrimLeft(bare, bare[:1]))]
			open = []string{}
		case fence != "" && strings.HasPrefix(bare, fence) && strings.Trim(bare, fence[:1]+" ") == "":
			code, fence = open, ""
		case fence != "":
			open = append(open, line)
		}
	}
	if fence != "" {
		code = open
	}
	return strings.Join(code, "\n")
}
