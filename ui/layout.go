package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/layout"
)

func (m *Model) resize(msg tea.WindowSizeMsg) tea.Cmd {
	m.layout.Width, m.layout.Height = msg.Width, msg.Height
	m.arrange()
	if m.overlays.has(sessionsOverlay{}) {
		return sessionsOverlay{}.update(m, msg)
	}
	return nil
}

// arrange lays out the screen anew and tells the parts their sizes.
func (m *Model) arrange() {
	m.chat.Edited, _ = m.composer.Editing()
	w := m.layout.Wants
	w.Empty = m.chat.Empty()
	m.composer.Resize(max(1, w.DraftWidth()), max(1, w.Height/3))
	w.Draft, w.Sentence = m.composer.Lines(), m.notice.Lines(w.Width)
	m.question.Resize(w.Width, w.MostAlert())
	w.AlertLines, w.Queue = len(screenOf(m).question()), len(screenOf(m).queue(layout.MostTail))
	m.layout = layout.For(w)
	m.question.Resize(m.layout.Width, m.layout.Alert.H)
	page := m.layout.Transcript
	m.chat.Resize(page.W, max(1, page.H-len(screenOf(m).tail())), m.layout.Gutter)
	if !m.layout.Panel.Empty() && m.overlays.onTop(panelOverlay{}) {
		m.dismiss(panelOverlay{}) // It has room beside the page now.
	}
	full := inner(insteadOf, m.layout.Full)
	m.inspector.Resize(full.W, full.H)
}

// settleLines lays out the screen anew where the sentence or the queue takes another number of lines, and with the
// first message of a chat.
func settleLines(m *Model) {
	is, w := m.layout.Wants, m.layout.Width
	same := is.Sentence == m.notice.Lines(w) && is.Empty == m.chat.Empty() &&
		is.Queue == len(screenOf(m).queue(layout.MostTail))
	if w > 0 && !same {
		m.arrange()
	}
}
