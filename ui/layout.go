package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/layout"
)

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.layout.Width, m.layout.Height = msg.Width, msg.Height
	m.arrange()
	return nil
}

// arrange lays out the screen anew and tells the parts their sizes.
func (m *Model) arrange() {
	m.surround()
	m.chat.Edited = m.composer.Editing()
	w := m.layout.Wants
	m.composer.Resize(max(1, w.DraftWidth()), max(1, w.Height/3))
	w.Draft, w.Asks = m.composer.Lines(), m.question.Waits()
	w.AlertLines = len(m.alertLines(w.MostAlert()))
	m.layout = layout.For(w)
	m.question.Resize(m.keys, alertWidth(m.layout), m.layout.Alert.H-min(1, m.composer.Waiting.Len()))
	in := m.layout.Transcript.Inner(m.layout.Framed)
	m.chat.Resize(in.W, in.H, 1, 1)
	full := m.layout.Full.Inner(framedOverlay(m.layout.Full))
	m.inspector.Resize(full.W, full.H)
}
