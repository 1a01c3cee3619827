package ui

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/theme"
)

// written is what the user writes in an editor.
type written int

// What can be written in an editor.
const (
	draftText written = iota
	systemText
)

// editMsg is a text and the editor that is to open it.
type editMsg struct {
	what    written
	command []string
	text    string
	err     error
}

// editedMsg is what the editor left.
type editedMsg struct {
	what written
	text string
	err  error
}

// openEditor finds the user's editor for a text.
func (m *Model) openEditor(what written, text string) tea.Cmd {
	editor := m.editor
	return func() tea.Msg {
		command, err := editorCommand(editor)
		return editMsg{what, command, text, err}
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
		return m.complain(theme.Sentence(msg.err))
	}
	e := &externalEditor{command: msg.command, text: msg.text, folders: m.memoryFolders}
	return tea.Exec(e, func(err error) tea.Msg { return editedMsg{msg.what, e.text, err} })
}

// externalEditor is the user's editor at work on a text. The text is in a folder of its own that only the user can
// read, in memory where the system has a place for that, and the folder is removed with all that the editor
// left in it, however the editor ends.
type externalEditor struct {
	command []string
	text    string // what is edited, and then what was made of it
	folders []string
	out     io.Writer
	err     io.Writer
}

// SetStdin does nothing: an editor reads from the terminal itself, not from what reads it for Bubble Tea.
func (e *externalEditor) SetStdin(io.Reader)    {}
func (e *externalEditor) SetStdout(w io.Writer) { e.out = w }
func (e *externalEditor) SetStderr(w io.Writer) { e.err = w }

// Run opens the editor and waits for it.
func (e *externalEditor) Run() error {
	folder, err := privateFolder(e.folders)
	if err != nil {
		return fmt.Errorf("write the text for the editor: %w", err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "winnow.md")
	if err := os.WriteFile(path, []byte(e.text), 0o600); err != nil {
		return fmt.Errorf("write the text for the editor: %w", err)
	}
	c := exec.Command(e.command[0], append(slices.Clone(e.command[1:]), path)...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, e.out, e.err
	if err := c.Run(); err != nil {
		return fmt.Errorf("run the editor %s: %w", e.command[0], err)
	}
	text, err := os.ReadFile(path)
	e.text = strings.TrimRight(string(text), "\r\n")
	return err
}

// privateFolder makes a folder that only the user can read, in the first of some folders that takes one,
// else among the temporary files.
func privateFolder(folders []string) (string, error) {
	for _, in := range folders {
		if made, err := os.MkdirTemp(in, "winnow-*"); err == nil {
			return made, nil
		}
	}
	return os.MkdirTemp("", "winnow-*")
}

// memoryFolders are the folders of a system whose files are not written to a disk.
func memoryFolders(env tea.EnvMsg) []string {
	var folders []string
	if runtime := env.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		folders = append(folders, runtime)
	}
	return append(folders, "/dev/shm")
}

func (m *Model) edited(msg editedMsg) tea.Cmd {
	switch {
	case msg.err != nil && msg.what == systemText:
		return m.complain(theme.Sentence(msg.err) + " The system prompt is as it was.")
	case msg.err != nil:
		return m.complain(theme.Sentence(msg.err) + " The draft is as it was.")
	case msg.what == systemText:
		return m.setSystem(strings.ReplaceAll(msg.text, "\r\n", "\n"))
	}
	m.composer.Rewrite(msg.text)
	m.arrange()
	return m.draftChanged()
}
