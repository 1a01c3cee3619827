package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// restyle shows the application in the colours that are decided.
func (m *Model) restyle() {
	m.Themes.Restyle()
	m.Chat.Restyle()
}

func (m *Model) environment(msg tea.EnvMsg) tea.Cmd {
	m.notice.Bell.Environment(msg.Getenv)
	m.Themes.Plain = m.Themes.Plain || msg.Getenv("NO_COLOR") != ""
	m.Themes.Links = theme.OpensLinks(msg.Getenv)
	m.restyle()
	return nil
}

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.Secrets.Revealed = !m.Secrets.Revealed
	again := m.sessions.Reveal()
	sentence := "Possible secrets are hidden."
	if m.Secrets.Revealed {
		sentence = "Possible secrets are shown; " + m.Keys.First(keymap.Reveal) + " hides it."
	}
	return tea.Batch(m.notice.Say(sentence), again, m.Inspector.Refresh())
}
