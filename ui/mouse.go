package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/panel"
	"winnow/ui/question"
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
			var e question.Event
			m.question, e = m.question.Clicked(m.themes.Styles, m.keys, msg.Y-m.layout.Alert.Y)
			return m.questionEvent(e)
		}
		m.setFocus(questionPane)
	case m.layout.Composer.Holds(msg.X, msg.Y):
		m.setFocus(draftPane)
		m.composer.Area.Click(msg.X-m.layout.Mark(), msg.Y-m.layout.Composer.Y)
	case m.layout.Transcript.Holds(msg.X, msg.Y):
		m.setFocus(transcriptPane)
		cmd := m.updateTranscript(tea.MouseClickMsg{Y: msg.Y - m.layout.Transcript.Y})
		m.lead()
		return cmd
	case m.layout.Panel.Holds(msg.X, msg.Y):
		focused, in := m.focus == panelPane, panelBox(m.layout)
		m.setFocus(panelPane)
		return m.updatePanel(panel.Click{Styles: m.themes.Styles, W: in.W, H: in.H, Y: msg.Y - in.Y, Focused: focused})
	}
	return nil
}

// toggleMouse gives the mouse to the terminal, which selects text with it, or takes it back.
func (m *Model) toggleMouse() tea.Cmd {
	m.frame.Mouse = !m.frame.Mouse
	if m.frame.Mouse {
		return m.notice.Say("The mouse scrolls and selects messages; shift with it selects text in most terminals.")
	}
	return m.notice.Say("The mouse is the terminal's: it selects text. /mouse takes it back.")
}
