package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
)

// restyle shows the application in the colours that are decided.
func (m *Model) restyle() {
	m.themes.Restyle()
	m.chat.Restyle()
}

func (m *Model) environment(msg tea.EnvMsg) tea.Cmd {
	m.notice.Bell.Environment(msg.Getenv)
	m.themes.Plain = m.themes.Plain || msg.Getenv("NO_COLOR") != ""
	m.themes.Links = theme.OpensLinks(msg.Getenv)
	m.restyle()
	return nil
}

// tryTheme shows the theme under the cursor of the list, and the wanted one where the list is closed.
func (m *Model) tryTheme() {
	before := m.themes.Shown()
	m.themes.Tried = ""
	if m.overlays.triesTheme() {
		c, _ := m.overlays.top().(*listOverlay).Cursor()
		m.themes.Tried = theme.Name(c.Value)
	}
	if m.themes.Shown() != before {
		m.restyle()
	}
}

// reveal shows what looks like a secret, or hides it again.
func (m *Model) reveal() tea.Cmd {
	m.ctx.Secrets.Revealed = !m.ctx.Secrets.Revealed
	m.sessions.Reveal()
	sentence := "Possible secrets are hidden."
	if m.current.Secrets.Revealed {
		sentence = "Possible secrets are shown; " + m.keys.First(keymap.Reveal) + " hides it."
	}
	return tea.Batch(m.notice.Say(sentence), m.inspector.Refresh())
}
