package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
)

// keyPress handles a key: first the actions that always work, then whatever covers the panes, the question if it has
// the focus, the actions that work in every pane, and last the pane with the focus.
func (m *Model) keyPress(msg tea.KeyPressMsg) tea.Cmd {
	m.Chat.ClearDrag()
	m.confirm.key(m.Keys.Pressed(msg, keymap.Stop))
	if msg.Code == tea.KeyEscape {
		msg.Mod = 0 // two presses of esc that arrived in one read are alt+esc
	}
	top, focus, shown := m.dialogs.Top(), m.focus, m.notice.SentenceNumber()
	cmd := m.route(msg)
	m.notice.KeyPressed(shown, m.dialogs.Top() != top || m.focus != focus)
	return tea.Batch(cmd, m.Question.AwaitQuiet(m.Turn.Number, m.confirm.keys))
}

func (m *Model) route(msg tea.KeyPressMsg) tea.Cmd {
	k := &m.Keys
	switch {
	case k.Pressed(msg, keymap.Stop):
		return m.interrupt()
	case msg.Keystroke() == keymap.SuspendKey:
		return tea.Suspend
	case k.Pressed(msg, keymap.Reveal):
		return m.reveal()
	case m.covered():
		return m.coveringKey(msg)
	case m.Chat.Search.Typing:
		return m.Chat.Update(msg)
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
		cmd := m.Chat.Update(msg)
		if m.focus == transcriptPane {
			m.SyncPanelCursor()
		}
		return cmd
	case panelPane:
		return m.Panel.Update(msg)
	}
	return m.composer.Update(msg)
}

// coveringKey handles a key while something covers the panes. The help can be opened on top.
func (m *Model) coveringKey(msg tea.KeyPressMsg) tea.Cmd {
	switch {
	case m.Keys.Pressed(msg, keymap.Help) && !m.dialogs.TakesText(msg) && !m.dialogs.HelpOpen():
		return palette{m}.help()
	case m.dialogs.Top() == nil:
		return m.Panel.Update(msg) // the What-if trial
	}
	return m.dialogs.Update(msg, m.layout)
}

// globalKey handles a key whose action works in every pane. In the draft, the key for the next pane also completes.
func (m *Model) globalKey(msg tea.KeyPressMsg) (tea.Cmd, bool) {
	a := m.Keys.Action(msg, keymap.InDraft)
	if a == keymap.Help && msg.Text != "" {
		return nil, false // a typed "?" may be text: the pane decides
	}
	switch a {
	case keymap.Focus:
		next := m.Suggestion(m.composer.DisplayText())
		if next != "" && m.focus == draftPane && !m.Turn.Busy {
			m.composer.SetDraft(next)
			return nil, true
		}
		if m.composer.CompletionCount() > 0 {
			return m.composer.Update(msg), true
		}
		return m.do(a), true
	case keymap.Palette, keymap.New, keymap.Sessions, keymap.Models, keymap.Help, keymap.Context, keymap.Reasoning,
		keymap.PageUp, keymap.PageDown, keymap.FocusBack:
		return m.do(a), true
	}
	return nil, false
}

// cycleFocus moves the focus by one pane, skipping those that are not shown.
func (m *Model) cycleFocus(by pane) {
	to := m.focus
	for {
		to = (to + paneCount + by) % paneCount
		missing := to == questionPane && !m.Question.HasQuestion() || to == panelPane && m.layout.Panel.Empty()
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
		m.Panel.GoToFirstChange() // the panel covers the transcript
	}
	switch p {
	case draftPane, questionPane:
		m.Question.ResetCursor()
		m.Chat.Blur()
		m.Panel.CursorToEnd()
		return
	case transcriptPane:
		m.Chat.Focus()
		m.SyncPanelCursor()
	}
}

// paste inserts a pasted text where typed text would go. It never answers a question.
func (m *Model) paste(msg tea.PasteMsg) tea.Cmd {
	m.confirm.key(false)
	var cmd tea.Cmd
	switch {
	case m.dialogs.Top() != nil:
		cmd = m.dialogs.Update(msg, m.layout)
	case m.Panel.Whatif != nil:
	case m.Chat.Search.Typing:
		cmd = m.Chat.Paste(msg.Content)
	case m.focus == questionPane && m.Question.TypingReason():
		m.Question.Paste(msg.Content)
	case m.ReadOnly:
		cmd = m.explainNeed(keymap.NeedLease)
	default:
		m.setFocus(draftPane)
		cmd = m.composer.Update(msg)
	}
	return tea.Batch(cmd, m.Question.AwaitQuiet(m.Turn.Number, m.confirm.keys))
}
