package ui

import (
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
)

// do performs an action of the panes, or says why that is not possible now. Actions on a message are for the one under
// the transcript's cursor.
func (m *Model) do(a keymap.Action) tea.Cmd {
	if why := m.whyNot(a); why != nil {
		return why
	}
	message, _ := m.Chat.MessageAtCursor()
	if does := m.actions(message)[a]; does != nil {
		return does()
	}
	return nil
}

// actions returns what each action does, given the message under the cursor.
func (m *Model) actions(on store.Message) map[keymap.Action]func() tea.Cmd {
	quietly := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { do(); return nil }
	}
	return map[keymap.Action]func() tea.Cmd{
		keymap.Palette:   palette{m}.open,
		keymap.New:       func() tea.Cmd { return m.leaveFor(m.OpenNew()) },
		keymap.Sessions:  func() tea.Cmd { return m.openSessions("") },
		keymap.Models:    func() tea.Cmd { return m.settings.ModelCommand("") },
		keymap.Context:   m.togglePanel,
		keymap.Reasoning: m.toggleReasoning,
		keymap.PageUp:    quietly(func() { m.Chat.ScrollPages(-1) }),
		keymap.PageDown:  quietly(func() { m.Chat.ScrollPages(1) }),
		keymap.ListUp:    quietly(func() { m.Chat.Scroll(-1) }),
		keymap.ListDown:  quietly(func() { m.Chat.Scroll(1) }),
		keymap.Focus:     quietly(func() { m.cycleFocus(1) }),
		keymap.FocusBack: quietly(func() { m.cycleFocus(-1) }),
		keymap.Inspect:   func() tea.Cmd { return m.Inspect(inspector.Subject{Message: on.ID}, inspector.TextView) },
		keymap.Copy:      func() tea.Cmd { return m.Chat.CopyCommand("") },
		keymap.CopyCode:  func() tea.Cmd { return m.Chat.CopyCommand("code") },
		keymap.Again:     func() tea.Cmd { return m.askAgain(on, "") },
		keymap.AgainWith: func() tea.Cmd { return m.settings.AskAnotherModel(on.ID) },
		keymap.Edit:      func() tea.Cmd { return m.startEdit(on.ID) },
		keymap.Earlier:   func() tea.Cmd { return m.SwitchVersion(on.ID, -1) },
		keymap.Later:     func() tea.Cmd { return m.SwitchVersion(on.ID, 1) },
		keymap.Fork:      func() tea.Cmd { return m.fork(on.ID) },
		keymap.ForkChat:  func() tea.Cmd { return m.fork(0) },
		keymap.Seen:      m.openPast,
		keymap.WhatIf:    m.openWhatif,
		keymap.Repairs:   m.InspectRepairs,
		keymap.Request:   m.InspectRequest,
		keymap.Pin:       func() tea.Cmd { return m.ToggleFlag(history.Pin) },
		keymap.Exclude:   func() tea.Cmd { return m.ToggleFlag(history.Exclude) },
		keymap.TakeBack:  m.Chat.Undo,
		keymap.Help:      palette{m}.help,
		keymap.Quit:      m.quit,
		keymap.Choose:    func() tea.Cmd { return m.enter(m.OpenReleased()) },
	}
}

// toggleReasoning expands or collapses all reasoning.
func (m *Model) toggleReasoning() tea.Cmd {
	shown, text := !m.Chat.ShowsReasoning, "Reasoning is hidden."
	if shown {
		text = "Reasoning is shown."
	}
	m.Chat.ShowReasoning(shown)
	return tea.Batch(m.notice.Say(text), m.settings.RememberChoice(m.settings.Memory.RememberReasoning(shown)))
}

// whyNot says why an action is not possible now. It returns nil if it is.
func (m *Model) whyNot(a keymap.Action) tea.Cmd {
	why := m.Keys.WhyNot(a, func(n keymap.Need) bool {
		switch n {
		case keymap.NeedLease:
			return !m.ReadOnly
		case keymap.NeedIdle:
			return !m.Turn.Busy
		case keymap.NeedLoaded:
			return m.Session.State().Loaded
		case keymap.NeedMessage:
			_, ok := m.Chat.MessageAtCursor()
			return ok
		}
		return m.Panel.Next.Ready
	})
	if why == "" {
		return nil
	}
	return m.notice.Error(why)
}

// search searches the transcript for a text.
func (m *Model) search(text string) tea.Cmd {
	m.setFocus(transcriptPane)
	return m.Chat.SearchFor(text)
}
