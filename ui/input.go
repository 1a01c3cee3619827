package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// keyPress gives a key to whom it belongs: the acts that always work, then the overlay, the question
// where it has the focus, the acts that work in every pane, the pane.
func (m *Model) keyPress(msg tea.KeyPressMsg) tea.Cmd {
	m.Chat.Unpick()
	m.confirm.key(m.Keys.Pressed(msg, keymap.Stop))
	if msg.Code == tea.KeyEscape {
		msg.Mod = 0 // two presses of esc that arrived in one read are alt+esc
	}
	top, focus, shown := m.dialogs.Top(), m.focus, m.notice.Number()
	cmd := m.route(msg)
	m.notice.Key(shown, m.dialogs.Top() != top || m.focus != focus)
	return tea.Batch(cmd, m.Question.Await(m.Turn.Number, m.confirm.keys))
}

func (m *Model) route(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.Keys
	switch {
	case k.Pressed(msg, keymap.Stop):
		return m.interrupt()
	case msg.Keystroke() == "ctrl+z":
		return tea.Suspend
	case k.Pressed(msg, keymap.Reveal):
		return m.reveal()
	case m.covered():
		return m.coveringKey(msg)
	case m.Chat.Search.Open:
		return m.Chat.Key(msg)
	case m.focus == questionPane:
		return m.questionKey(msg)
	case k.Pressed(msg, keymap.Back):
		return m.back()
	}
	if cmd, ok := m.globalKey(msg); ok {
		return cmd
	}
	switch m.focus {
	case transcriptPane:
		cmd := m.Chat.Key(msg)
		if m.focus == transcriptPane {
			m.Lead()
		}
		return cmd
	case panelPane:
		return m.Panel.Update(msg)
	}
	return m.composer.Update(msg)
}

// coveringKey is a key for what covers the panes. The help may be opened over it.
func (m *Model) coveringKey(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.Keys.Pressed(msg, keymap.Help) && !m.dialogs.Typing(msg) && !m.dialogs.Helps():
		return palette{m}.help()
	case m.dialogs.Top() == nil:
		return m.Panel.Update(msg) // the dials
	}
	return m.dialogs.Update(msg, m.layout)
}

// globalKey is a key for an action that works in every pane. In the draft the one for the next pane completes.
func (m *Model) globalKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	a := m.Keys.Action(msg, keymap.InDraft)
	if a == keymap.Help && msg.Text != "" {
		return nil, false // A sign that is typed asks for help in the draft only while that is empty.
	}
	switch a {
	case keymap.Focus:
		next := m.Suggestion(m.composer.Shown())
		if next != "" && m.focus == draftPane && !m.Turn.Busy {
			m.composer.SetDraft(next)
			return nil, true
		}
		if m.composer.Completions() > 0 {
			return m.composer.Update(msg), true
		}
		return m.do(a), true
	case keymap.Palette, keymap.New, keymap.Sessions, keymap.Models, keymap.Help, keymap.Context, keymap.Reason,
		keymap.PageUp, keymap.PageDown, keymap.FocusBack:
		return m.do(a), true
	}
	return nil, false
}

// turnFocus goes to the next pane that is there to be focused.
func (m *Model) turnFocus(by pane) {
	to := m.focus
	for {
		to = (to + paneCount + by) % paneCount
		missing := to == questionPane && !m.Question.Waits() || to == panelPane && m.layout.Panel.Empty()
		if !missing {
			break
		}
	}
	m.setFocus(to)
}

func (m *Model) setFocus(p pane) {
	m.focus = p
	m.Panel.Focused = p == panelPane
	if p == panelPane && !m.layout.PanelFits() {
		m.Panel.ToFirstChange() // it covers the page
	}
	switch p {
	case draftPane, questionPane:
		m.Question.Reset()
		m.Chat.Leave()
		m.Panel.CursorToEnd()
		return
	case transcriptPane:
		m.Chat.Enter()
		m.Lead()
	}
}

// paste puts a pasted text where the keys go. It answers no question.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	m.confirm.key(false)
	var cmd tea.Cmd
	switch {
	case m.dialogs.Top() != nil:
		cmd = m.dialogs.Update(msg, m.layout)
	case m.Panel.Whatif != nil:
	case m.Chat.Search.Open:
		cmd = m.Chat.Paste(msg.Content)
	case m.focus == questionPane && m.Question.Typing():
		m.Question.Paste(msg.Content)
	case m.ReadOnly:
		cmd = m.lacks(keymap.NeedOwn)
	default:
		m.setFocus(draftPane)
		cmd = m.composer.Update(msg)
	}
	return tea.Batch(cmd, m.Question.Await(m.Turn.Number, m.confirm.keys))
}
