package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.current.Reveal()
	m.sessions.Reveal()
	m.chat.SetTrails(m.current.Forks.Trails())
	sentence := "Possible secrets are hidden."
	if m.current.Secrets.Revealed {
		sentence = "Possible secrets are shown; " + m.keys.First(keymap.Reveal) + " hides it."
	}
	return tea.Batch(m.notice.Say(sentence), m.inspector.Refresh())
}
