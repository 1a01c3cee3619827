package ui

import (
	tea "charm.land/bubbletea/v2"
)

// wheel scrolls what lies under the mouse.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := 3
	if msg.Button == tea.MouseWheelUp {
		by = -3
	}
	switch {
	case m.overlay == textOverlay || m.overlay == helpOverlay:
		m.reader.scroll(by)
	case m.overlay == panelOverlay, m.overlay == whatifOverlay, m.overlay == noOverlay && m.layout.panel.holds(msg.X, msg.Y):
		m.panel.move(by)
	case m.overlay != noOverlay:
		m.picker.move(by)
	default:
		m.chat.scroll(by)
	}
	return nil
}

// click gives the focus to the pane under the mouse.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	if m.overlay != noOverlay || m.turn.asked != nil {
		return nil
	}
	switch {
	case m.layout.composer.holds(msg.X, msg.Y):
		m.setFocus(draftPane)
	case m.layout.transcript.holds(msg.X, msg.Y):
		m.setFocus(transcriptPane)
	case m.layout.panel.holds(msg.X, msg.Y):
		m.setFocus(panelPane)
	}
	return nil
}
