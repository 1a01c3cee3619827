package notice

import (
	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"
)

// Copy gives a text to the terminal and to the system's clipboard, and says what was copied.
func Copy(what, text string) tea.Cmd {
	return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), func() tea.Msg {
		return CopyResult(what, clipboard.WriteAll(text))
	})
}

// Copied says what became of a text for the system's clipboard. Where there is none it went through the terminal alone.
func CopyResult(what string, err error) Sentence {
	if err != nil {
		return Sentence{Text: "sent " + what + " to the terminal’s clipboard", Done: true}
	}
	return Sentence{Text: "copied " + what, Done: true}
}
