package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// restyle applies the theme that the settings and the terminal call for.
func (m *Model) restyle() {
	m.Themes.Restyle()
	m.Chat.Restyle()
}

func (m *Model) environment(msg tea.EnvMsg) tea.Cmd {
	m.notice.Bell.SetEnvironment(msg.Getenv)
	m.Themes.NoColour = m.Themes.NoColour || msg.Getenv("NO_COLOR") != ""
	m.Themes.OpensLinks = theme.OpensLinks(msg.Getenv)
	m.restyle()
	return nil
}

// reveal shows texts that look like secrets, or hides them again.
func (m *Model) reveal() tea.Cmd {
	m.Secrets.Revealed = !m.Secrets.Revealed
	again := m.sessions.SecretsToggled()
	sentence := "Possible secrets are hidden."
	if m.Secrets.Revealed {
		sentence = "Possible secrets are shown; " + m.Keys.First(keymap.Reveal) + " hides them."
	}
	return tea.Batch(m.notice.Say(sentence), again, m.Inspector.Refresh())
}
