package notice

import (
	tea "charm.land/bubbletea/v2"
	"github.com/atotto/clipboard"
	"github.com/charmbracelet/x/ansi"
)

// Copy copies a text through the terminal and to the system's clipboard, and shows a sentence that names it.
func Copy(what, text string) tea.Cmd {
	return tea.Batch(tea.Raw(ansi.SetSystemClipboard(text)), func() tea.Msg {
		return CopyResult(what, clipboard.WriteAll(text))
	})
}

// CopyResult returns the sentence for a copy. Without a system clipboard (err), only the terminal has the text.
func CopyResult(what string, err error) Sentence {
	if err != nil {
		return Sentence{Text: "sent " + what + " to the terminal’s clipboard", Done: true}
	}
	return Sentence{Text: "copied " + what, Done: true}
}
