package ui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// written is what the user writes in an editor.
type written int

// What can be written in an editor.
const (
	draftText written = iota
	systemText
)

// editMsg is the file that an editor is to open, and what to open it with.
type editMsg struct {
	what    written
	command []string
	path    string
	err     error
}

// editedMsg is what the editor left.
type editedMsg struct {
	what written
	text string
	err  error
}

// openEditor writes a text to a file for the user's editor, which only the user can read.
func (m *Model) openEditor(what written, text string) tea.Cmd {
	editor := m.editor
	return func() tea.Msg {
		command, err := editorCommand(editor)
		if err != nil {
			return editMsg{what: what, err: err}
		}
		f, err := os.CreateTemp("", "winnow-*.md")
		if err != nil {
			return editMsg{what: what, err: fmt.Errorf("write the text for the editor: %w", err)}
		}
		_, err = f.WriteString(text)
		return editMsg{what, command, f.Name(), errors.Join(err, f.Close())}
	}
}

// editorCommand is the user's editor with its arguments. Where none is set it is the first usual one
// that the machine has.
func editorCommand(wanted string) ([]string, error) {
	if words := strings.Fields(wanted); len(words) > 0 {
		return words, nil
	}
	for _, name := range []string{"vi", "nano", "notepad"} {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, errors.New("no editor is known: set EDITOR in your environment, such as EDITOR=nano")
}

func (m *Model) runEditor(msg editMsg) tea.Cmd {
	if msg.err != nil {
		return m.complain(sentence(msg.err))
	}
	c := exec.Command(msg.command[0], append(msg.command[1:], msg.path)...)
	c.Stdin = os.Stdin // the terminal itself: Bubble Tea would give it what input has decided
	return tea.ExecProcess(c, func(err error) tea.Msg {
		defer os.Remove(msg.path)
		if err != nil {
			return editedMsg{what: msg.what, err: fmt.Errorf("run the editor %s: %w", msg.command[0], err)}
		}
		text, err := os.ReadFile(msg.path)
		return editedMsg{msg.what, strings.TrimRight(string(text), "\r\n"), err}
	})
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	switch {
	case msg.err != nil && msg.what == systemText:
		return m.complain(sentence(msg.err) + " The system prompt is as it was.")
	case msg.err != nil:
		return m.complain(sentence(msg.err) + " The draft is as it was.")
	case msg.what == systemText:
		return m.setSystem(strings.ReplaceAll(msg.text, "\r\n", "\n"))
	}
	m.composer.rewrite(msg.text)
	m.arrange()
	return m.draftChanged()
}
