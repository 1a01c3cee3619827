package ui

import (
	"winnow/ui/layout"
)

// arrange lays out the screen anew and tells the parts their sizes.
func (m *Model) arrange() {
	m.Chat.Edited = m.composer.Editing()
	w := m.layout.Wants
	w.Empty, w.Dials, w.PanelKeys = m.Chat.Empty(), m.Panel.Whatif != nil, m.focus == panelPane
	m.composer.Area.Resize(max(1, w.DraftWidth()), max(1, w.Height/3))
	w.Draft, w.Sentence = m.composer.Area.Height(), m.notice.Lines(w.Width)
	m.Question.Resize(w.Width, w.MostAlert())
	w.AlertLines, w.Queue = len(screenOf(m).question()), len(screenOf(m).queue(layout.MostTail))
	m.layout = layout.For(w)
	m.Question.Resize(m.layout.Width, m.layout.Alert.H)
	page := m.layout.Transcript
	m.Chat.Resize(page.W, max(1, page.H-len(screenOf(m).tail())), m.layout.Gutter)
	m.dialogs.Resize(m.layout)
}
