package ui

import (
	"winnow/ui/layout"
)

// arrange computes the layout from the current content and resizes the components.
func (m *Model) arrange() {
	m.Chat.EditedID = m.composer.EditedMessage()
	w := m.layout.Wants
	w.Empty, w.WhatIf, w.PanelFocused = m.Chat.Empty(), m.Panel.Whatif != nil, m.focus == panelPane
	m.composer.Editor.Resize(max(1, w.DraftWidth()), max(1, w.Height/3))
	w.Draft, w.Sentence = m.composer.Editor.Height(), m.notice.SentenceLines(w.Width)
	m.Question.Resize(w.Width, w.MaxQuestionLines())
	w.QuestionLines, w.Queue = len(screenOf(m).question()), len(screenOf(m).queue(layout.MaxBlockLines))
	m.layout = layout.For(w)
	m.Question.Resize(m.layout.Width, m.layout.Question.H)
	page := m.layout.Transcript
	m.Chat.Resize(page.W, max(1, page.H-len(screenOf(m).tail())), m.layout.Gutter)
	m.dialogs.Resize(m.layout)
}
