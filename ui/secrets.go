package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.secrets.Revealed = !m.secrets.Revealed
	m.panel.Reveal(m.secrets)
	m.repairs.Secrets, m.inspector.Secrets = m.secrets, m.secrets
	m.sessions.Reveal(m.secrets)
	m.opener.Reveal(m.secrets)
	m.chat.Lead(m.opener.Forks.Trails())
	said := "What looks like a secret is hidden."
	if m.secrets.Revealed {
		said = "What looks like a secret is shown; " + m.keys.First(keymap.Reveal) + " hides it."
	}
	return tea.Batch(m.say(said), m.lookAgain())
}
