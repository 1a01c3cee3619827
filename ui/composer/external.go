package composer

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/screen"
)

// OpenEditor opens a text in the user's editor and calls done with the edited text, without trailing line ends, to make
// the message. The file is in a folder that only the user can read, which is removed afterwards.
func OpenEditor(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		folder, err := os.MkdirTemp(os.Getenv("XDG_RUNTIME_DIR"), "winnow-*") // in memory, where that is set
		path := filepath.Join(folder, "winnow.md")
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			os.RemoveAll(folder)
			return done("", fmt.Errorf("write the text for the editor: %w", err))
		}
		command := cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")), "vi")
		words := strings.Fields(command)
		p := exec.Command(words[0], append(words[1:], path)...)
		p.Stdin, p.Stdout = os.Stdin, os.Stdout
		return screen.Exec(p, func(err error) tea.Msg {
			defer os.RemoveAll(folder)
			if err != nil {
				return done("", fmt.Errorf("run the editor %s, which EDITOR sets: %w", words[0], err))
			}
			text, err := os.ReadFile(path)
			return done(strings.TrimRight(string(text), "\r\n"), err)
		})()
	}
}
