package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// export writes the session on the screen to a file.
func (m *Model) export(words string) tea.Cmd {
	switch {
	case m.options.Export == nil:
		return m.complain("Nothing can be exported here.")
	case m.chat.Empty():
		return m.complain("There is nothing to export yet.")
	}
	s, write := m.session, m.options.Export
	return m.behind(func(ctx context.Context) tea.Msg {
		said, err := write(ctx, s, words)
		return settledMsg{text: said, err: err}
	})
}
