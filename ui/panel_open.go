package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// togglePanel shows or hides the context panel, as an overlay where the screen is narrow.
func (m *Model) togglePanel() tea.Cmd {
	if m.width < wideWidth || m.height < frameHeight {
		m.cover(panelOverlay{})
		return nil
	}
	m.wishPanel = !m.wishPanel
	if !m.wishPanel && m.focus == panelPane {
		m.setFocus(draftPane)
	}
	m.arrange()
	return nil
}

// showPanel brings the panel on the screen and gives it the keys.
func (m *Model) showPanel() {
	m.wishPanel = true
	m.arrange()
	if m.layout.panel.Empty() {
		m.cover(panelOverlay{})
		return
	}
	m.setFocus(panelPane)
}

// narrowPanelKey is a key while the panel covers the panes.
func (m *Model) narrowPanelKey(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.keys.Pressed(msg, keymap.Back):
		return m.back()
	case m.keys.Pressed(msg, keymap.Context):
		m.uncover()
		return nil
	}
	if cmd, ok := m.elsewhereKey(msg); ok {
		return cmd
	}
	return m.panelPress(msg)
}
