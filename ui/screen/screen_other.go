//go:build !unix

package screen

import (
	"context"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// Run runs a root model until it quits or ctx ends. Bubble Tea itself reads and draws, because it supports consoles
// that are not Unix terminals.
func Run(ctx context.Context, app tea.Model, _, _ *os.File) error {
	_, err := tea.NewProgram(app, tea.WithContext(ctx)).Run()
	return err
}

// Exec is tea.ExecProcess.
func Exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.ExecProcess(c, done) }
