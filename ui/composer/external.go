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
)

// External is the user's own editor.
type External struct {
	Command string   // with its arguments, "" for the first usual one that the machine has
	Folders []string // where a file is in memory
}

// ExternalIn is the editor that an environment names.
func ExternalIn(env tea.EnvMsg) External {
	x := External{Command: cmp.Or(env.Getenv("VISUAL"), env.Getenv("EDITOR")), Folders: []string{"/dev/shm"}}
	if runtime := env.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		x.Folders = []string{runtime, "/dev/shm"}
	}
	return x
}

// process is one that has the terminal itself, not what reads and writes it for Bubble Tea.
type process struct{ *exec.Cmd }

// SetStdin does nothing.
func (process) SetStdin(io.Reader) {}

// SetStdout does nothing.
func (process) SetStdout(io.Writer) {}

// SetStderr takes the place for errors.
func (p process) SetStderr(w io.Writer) { p.Stderr = w }

// Edit opens a text in the editor, and makes the message of what is left there. The file is in a folder of its own that
// only the user can read, in memory where the system has a place for that. The folder is removed with all that the
// editor left in it, however the editor ends.
func (x External) Edit(text string, done func(text string, err error) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		command, err := editorCommand(x.Command)
		if err != nil {
			return done("", err)
		}
		folder, err := privateFolder(x.Folders)
		path := filepath.Join(folder, "winnow.md")
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			os.RemoveAll(folder)
			return done("", fmt.Errorf("write the text for the editor: %w", err))
		}
		p := process{exec.Command(command[0], append(command[1:], path)...)}
		p.Stdin, p.Stdout = os.Stdin, os.Stdout
		return screen.Exec(p, func(err error) tea.Msg {
			defer os.RemoveAll(folder)
			if err != nil {
				return done("", fmt.Errorf("run the editor %s: %w", command[0], err))
			}
			text, err := os.ReadFile(path)
			return done(strings.TrimRight(string(text), "\r\n"), err)
		})()
	}
}

// editorCommand is the user's editor with its arguments. Where none is set it is the first usual one that the machine
// has.
func editorCommand(wanted string) ([]string, error) {
	if words := strings.Fields(wanted); len(words) > 0 {
		return words, nil
	}
	for _, name := range []string{"vi", "nano"} {
		if _, err := exec.LookPath(name); err == nil {
			return []string{name}, nil
		}
	}
	return nil, errors.New("no editor is set: set EDITOR in your environment, for example EDITOR=nano")
}

// privateFolder makes a folder that only the user can read, in the first of some folders that takes one, else among the
// temporary files.
func privateFolder(folders []string) (string, error) {
	for _, in := range folders {
		if made, err := os.MkdirTemp(in, "winnow-*"); err == nil {
			return made, nil
		}
	}
	return os.MkdirTemp("", "winnow-*")
}
