package terminal

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// Exec is tea.Exec for a command that has the terminal to itself, as an editor does.
func Exec(c tea.ExecCommand, done tea.ExecCallback) tea.Cmd {
	return tea.Exec(&borrower{ExecCommand: c}, done)
}

// borrower is a command that runs while the screen does without its terminal.
type borrower struct {
	tea.ExecCommand
	screen *Screen
}

// SetStdout is given the output of the program, which is the screen.
func (b *borrower) SetStdout(w io.Writer) {
	b.screen, _ = w.(*Screen)
	b.ExecCommand.SetStdout(w)
}

// Run runs the command.
func (b *borrower) Run() error {
	if b.screen == nil {
		return b.ExecCommand.Run()
	}
	if err := b.screen.Release(); err != nil {
		return err
	}
	return errors.Join(b.ExecCommand.Run(), b.screen.Take())
}
