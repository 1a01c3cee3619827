//go:build !unix

package screen

import (
	"context"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"
)

// Run shows an application until it ends or ctx does. Bubble Tea reads and draws: it knows consoles that are no Unix
// terminals.
func Run(ctx context.Context, app tea.Model, _, _ *os.File) error {
	_, err := tea.NewProgram(app, tea.WithContext(ctx)).Run()
	return err
}

// Exec is tea.ExecProcess.
func Exec(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return tea.ExecProcess(c, done) }
