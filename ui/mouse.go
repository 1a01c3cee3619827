package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/layout"
)

// wheel scrolls what is under the mouse.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := keymap.Wheel(msg, 3)
	switch {
	case m.dialogs.Top() != nil:
		return m.dialogs.Update(msg, m.layout)
	case m.layout.Panel.Holds(msg.X, msg.Y), m.layout.Cover.Holds(msg.X, msg.Y):
		m.Panel.MoveCursor(by)
	default:
		m.Chat.Scroll(by)
	}
	return nil
}

// click handles a press of the left button: it focuses the pane under the mouse, and selects in it.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	switch {
	case !m.frame.Mouse || msg.Button != tea.MouseLeft:
		return nil
	case m.Chat.Search.Typing && !m.covered():
		m.Chat.Search.Typing = false
		return m.click(msg)
	case m.dialogs.Top() != nil:
		return m.dialogs.Update(msg, m.layout)
	case m.layout.Cover.Holds(msg.X, msg.Y):
		return m.Panel.Click(msg.Y-m.layout.Cover.Y, true)
	case m.Panel.Whatif != nil:
	case m.Question.HasQuestion() && m.layout.Question.Holds(msg.X, msg.Y):
		m.setFocus(questionPane)
	case m.layout.Composer.Holds(msg.X, msg.Y):
		m.setFocus(draftPane)
		m.composer.Editor.Click(msg.X-m.layout.DraftIndent(), msg.Y-m.layout.Composer.Y)
	case m.layout.Transcript.Holds(msg.X, msg.Y):
		m.Chat.MouseDown(onPage(m.layout, tea.Mouse(msg)))
	case m.layout.Panel.Holds(msg.X, msg.Y):
		focused := m.focus == panelPane
		m.setFocus(panelPane)
		return m.Panel.Click(msg.Y-m.layout.Panel.Y-1, focused)
	}
	return nil
}

// onPage converts the position of the mouse to cells from the top left corner of the transcript.
func onPage(l layout.Layout, mouse tea.Mouse) (x, y int) {
	return mouse.X - l.Transcript.X, mouse.Y - l.Transcript.Y
}

// drag selects text of the transcript while the button is down.
func drag(m *Model, msg tea.MouseMotionMsg) {
	if m.Chat.Dragging() && !m.covered() {
		m.Chat.MouseDrag(onPage(m.layout, tea.Mouse(msg)))
	}
}

// release ends a text selection in the transcript, or a click, which selects a message.
func release(m *Model) tea.Cmd {
	if !m.Chat.Dragging() {
		return nil
	}
	cmd, clicked := m.Chat.MouseUp()
	if clicked {
		m.setFocus(transcriptPane)
	}
	return cmd
}
