package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// behind makes a command of something that is done behind the screen. Its context ends with it, and with
// the program.
func (m *Model) behind(do func(context.Context) tea.Msg) tea.Cmd {
	within := m.within
	return func() tea.Msg {
		ctx, cancel := within()
		defer cancel()
		return do(ctx)
	}
}
