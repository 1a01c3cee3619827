package composer

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/screen"
	"winnow/ui/theme"
)

// External is the user's own editor.
type External struct {
	Command string   // with its arguments, "" for the first usual one that the machine has
	Folders []string // where a file is in memory
}

// ExternalIn is the editor that an environment names.
func ExternalIn(env tea.EnvMsg) External {
	var folders []string
	if runtime := env.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		folders = append(folders, runtime)
	}
	return External{cmp.Or(env.Getenv("VISUAL"), env.Getenv("EDITOR")), append(folders, "/dev/shm")}
}

// Edit opens a text in the editor, and makes the message of what is left there.
func (x External) Edit(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	e := &externalEditor{External: x, text: text}
	return screen.Exec(e, func(err error) tea.Msg { return done(e.text, err) })
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
	return nil, errors.New("no editor is set: set EDITOR in your environment, for example EDITOR=nano")
}

// externalEditor is the user's editor at work on a text. The text is in a folder of its own that only the user can
// read, in memory where the system has a place for that, and the folder is removed with all that the editor
// left in it, however the editor ends.
type externalEditor struct {
	External
	text string // what is edited, and then what was made of it
	err  io.Writer
}

// SetStdin and SetStdout do nothing: an editor has the terminal itself, not what reads and writes it for
// Bubble Tea.
func (e *externalEditor) SetStdin(io.Reader)    {}
func (e *externalEditor) SetStdout(io.Writer)   {}
func (e *externalEditor) SetStderr(w io.Writer) { e.err = w }

// Run opens the editor and waits for it.
func (e *externalEditor) Run() error {
	command, err := editorCommand(e.Command)
	if err != nil {
		return err
	}
	folder, err := privateFolder(e.Folders)
	if err != nil {
		return fmt.Errorf("write the text for the editor: %w", err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "winnow.md")
	if err := os.WriteFile(path, []byte(e.text), 0o600); err != nil {
		return fmt.Errorf("write the text for the editor: %w", err)
	}
	c := exec.Command(command[0], append(command[1:], path)...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, e.err
	if err := c.Run(); err != nil {
		return fmt.Errorf("run the editor %s: %w", command[0], err)
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

// editedMsg is the draft as the user's editor left it.
type editedMsg struct {
	text string
	err  error
}

func (editedMsg) composerMsg() {}

func (c *Model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		return c.SayError(theme.Sentence(msg.err) + " The draft is unchanged.")
	}
	c.Rewrite(msg.text)
	return nil
}
