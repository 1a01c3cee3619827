//go:build unix

package screen

import (
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// failing panics in View, in Update at the first key, or in the command that Update returns then.
type failing struct {
	command tea.Cmd
	view    bool
}

func (failing) Init() tea.Cmd { return nil }

func (f failing) View() tea.View {
	if f.view {
		panic("as the test wants it")
	}
	return tea.NewView("failing")
}

func (f failing) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if _, ok := msg.(tea.KeyPressMsg); !ok {
		return f, nil
	}
	if f.command == nil {
		panic("as the test wants it")
	}
	return f, f.command
}

// Wherever a panic happens, the terminal is restored before the panic is printed.
func TestATerminalIsRestoredBeforeAPanicIsPrinted(t *testing.T) {
	if testing.Short() {
		t.Skip("after a panic Bubble Tea closes its reader under a read, which the race detector reports")
	}
	panics := func() tea.Msg { panic("as the test wants it") }
	for name, app := range map[string]failing{
		"in Update":          {},
		"in View":            {view: true},
		"in a command":       {command: panics},
		"in one of several":  {command: tea.Batch(panics, func() tea.Msg { return nil })},
		"in one of a number": {command: tea.Batch(func() tea.Msg { return nil }, tea.Batch(panics, panics))},
	} {
		t.Run(name, func(t *testing.T) {
			keyboard, terminal, err := pty.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer keyboard.Close()
			before, err := term.GetState(terminal.Fd())
			if err != nil {
				t.Fatal(err)
			}
			stderr := os.Stderr
			os.Stderr = terminal
			defer func() { os.Stderr = stderr }()
			written := make(chan string)
			go func() {
				all, _ := io.ReadAll(keyboard) // it ends with an error when the terminal is closed
				written <- string(all)
			}()
			io.WriteString(keyboard, "k")
			if err := Run(t.Context(), app, terminal, terminal); !errors.Is(err, tea.ErrProgramPanic) {
				t.Errorf("the program ended with %v, want a panic", err)
			}
			after, err := term.GetState(terminal.Fd())
			if err != nil || !reflect.DeepEqual(before, after) {
				t.Errorf("the terminal is left as %+v (%v), want %+v", after, err, before)
			}
			terminal.Close()
			all := <-written
			left, said := strings.LastIndex(all, ansi.ResetModeAltScreenSaveCursor), strings.Index(all, "Caught panic")
			if left < 0 || said < left {
				t.Errorf("the panic is printed at %d and the alternate screen left at %d of %q", said, left, all)
			}
		})
	}
}
