package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

func (m *Model) environment(msg tea.EnvMsg) tea.Cmd {
	m.editor = msg.Getenv("VISUAL")
	if m.editor == "" {
		m.editor = msg.Getenv("EDITOR")
	}
	if msg.Getenv("NO_COLOR") != "" {
		m.options.Theme = string(noColour)
		m.restyle(noColour)
	}
	return nil
}

func (m *Model) background(msg tea.BackgroundColorMsg) tea.Cmd {
	if m.options.Theme != "" && theme(m.options.Theme) != autoTheme {
		return nil
	}
	t := darkTheme
	if !msg.IsDark() {
		t = lightTheme
	}
	if t != m.styles.theme {
		m.restyle(t)
	}
	return nil
}

func (m *Model) profile(msg tea.ColorProfileMsg) tea.Cmd {
	if msg.Profile <= colorprofile.ASCII {
		m.options.Theme = string(noColour)
		m.restyle(noColour)
	}
	return nil
}

func (m *Model) restyle(t theme) {
	m.styles = newStyles(t)
	m.ledger.drawn = nil
	m.composer.restyle(m.styles)
	m.chat.restyle(m.styles)
}
