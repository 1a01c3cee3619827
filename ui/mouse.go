package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/layout"
	"winnow/ui/transcript"
)

// wheel scrolls what lies under the mouse.
func (m *Model) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	by := scrolledBy(msg)
	switch {
	case m.overlays.any():
		return m.overlays.top().update(m, msg)
	case m.layout.Panel.Holds(msg.X, msg.Y):
		m.panel.Move(by)
	default:
		m.chat.Scroll(by)
	}
	return nil
}

// click is a click on what lies under the mouse: it gives the focus to the pane, and selects in it.
func (m *Model) click(msg tea.MouseClickMsg) tea.Cmd {
	switch {
	case !m.frame.Mouse || msg.Button != tea.MouseLeft:
		return nil
	case m.chat.Search.Open && !m.overlays.any():
		m.chat.Search.Open = false
		return m.click(msg)
	case m.overlays.any():
		return m.overlays.top().update(m, msg)
	case m.question.Waits() && m.layout.Alert.Holds(msg.X, msg.Y):
		if m.focus == questionPane {
			return m.answerQuestion(m.question.Click(m.themes.Styles, msg.Y-m.layout.Alert.Y))
		}
		m.setFocus(questionPane)
	case m.layout.Composer.Holds(msg.X, msg.Y):
		m.setFocus(draftPane)
		m.composer.Area.Click(msg.X-m.layout.Mark(), msg.Y-m.layout.Composer.Y)
	case m.layout.Transcript.Holds(msg.X, msg.Y):
		return m.updateTranscript(tea.MouseClickMsg(onPage(m.layout, tea.Mouse(msg))))
	case m.layout.Panel.Holds(msg.X, msg.Y):
		focused, in := m.focus == panelPane, panelBox(m.layout)
		m.setFocus(panelPane)
		return m.panel.Click(msg.Y-in.Y, focused)
	}
	return nil
}

// onPage counts the place of the mouse from the corner of the page.
func onPage(l layout.Layout, mouse tea.Mouse) tea.Mouse {
	mouse.X, mouse.Y = mouse.X-l.Transcript.X, mouse.Y-l.Transcript.Y
	return mouse
}

// drag selects text of the page while the button is down.
func drag(m *Model, msg tea.MouseMotionMsg) tea.Cmd {
	if !m.chat.Held() || m.overlays.any() {
		return nil
	}
	return m.updateTranscript(tea.MouseMotionMsg(onPage(m.layout, tea.Mouse(msg))))
}

// release ends a selection of text, or a click, that began in the page.
func release(m *Model, msg tea.MouseReleaseMsg) tea.Cmd {
	if !m.chat.Held() {
		return nil
	}
	return m.updateTranscript(tea.MouseReleaseMsg(onPage(m.layout, tea.Mouse(msg))))
}

// clicked selects a message.
func clicked(m *Model, y int) tea.Cmd {
	m.setFocus(transcriptPane)
	cmd := m.inTranscript(func(c *transcript.Model) tea.Cmd { return c.Click(y) })
	m.lead()
	return cmd
}

// toggleMouse gives the mouse to the terminal, which selects text with it, or undoes this.
func (m *Model) toggleMouse() tea.Cmd {
	m.frame.Mouse = !m.frame.Mouse
	if m.frame.Mouse {
		return m.notice.Say("The mouse scrolls, selects messages and copies the text you drag over.")
	}
	return m.notice.Say("The terminal handles the mouse and selects text. /mouse switches back.")
}
