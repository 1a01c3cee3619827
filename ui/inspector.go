package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/panel"
)

// inspectorScreen is what the inspector has the rest of the screen do.
func (m *Model) inspectorScreen() inspector.Screen {
	return inspector.Screen{
		Shown:   func() inspector.Request { return m.inspected(m.Panel.Shown()) },
		Message: func(id int64) (store.Message, bool) { return m.Chat.Message(id) },
		Prices:  func(e history.Entry) []key.Binding { return m.Panel.Prices(e) },
		Step:    m.stepInspected,
		Done:    m.settled,
		Close:   func() { m.dialogs.Close(m.inspector) },
		Do:      m.inspectorKey,
	}
}

// inspectorKey is a key that the inspector has the rest of the screen do.
func (m *Model) inspectorKey(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch a := m.Keys.Action(msg, keymap.InInspector|keymap.InRequest); a {
	case keymap.Earlier, keymap.Later:
		return m.Panel.Update(msg), true
	case keymap.Request:
		return m.inspectRequest(), true
	case keymap.Pin, keymap.Exclude, keymap.TakeBack:
		if on := m.inspector.On.Message; on != 0 {
			m.Chat.GoTo(on)
			return m.do(a), true
		}
	}
	return nil, false
}

// inspected is a request of the panel as the inspector takes it.
func (m *Model) inspected(r *panel.Request) inspector.Request {
	return inspector.Request{
		Plan: r.Plan, Past: r.Past, Name: m.Panel.Name(r), Ready: r.Ready, Note: r.Note, Tried: m.Panel.Whatif != nil,
	}
}

// inspect opens the inspector.
func (m *Model) inspect(on inspector.Subject, at inspector.View) tea.Cmd {
	if m.dialogs.Top() != m.inspector {
		m.inspector.Forget()
		m.dialogs.Open(m.inspector)
	}
	return m.inspector.Inspect(on, at)
}

// inspectRequest opens the inspector on the whole request.
func (m *Model) inspectRequest() tea.Cmd {
	if r := m.Panel.Shown(); !r.Ready {
		return m.notice.Say(r.Missing())
	}
	return m.inspect(inspector.Subject{}, inspector.TextView)
}

// inspectRow opens the inspector on a row of the panel: on its message, or for text that nobody said on the message of
// the request that has it.
func (m *Model) inspectRow() tea.Cmd {
	switch row := m.Panel.Chosen(); {
	case row.Entry != nil:
		return m.inspect(inspector.Subject{Message: row.Entry.ID}, inspector.TextView)
	case row.Added != nil:
		return m.inspect(inspector.Subject{Part: row.Added.Before}, inspector.TextView)
	}
	return nil
}

// stepInspected goes to another message of the request on show. The cursors of panel and transcript go along.
func (m *Model) stepInspected(by int) tea.Cmd {
	plan := m.Panel.Shown().Plan
	e, ok := plan.EntryOf(m.inspector.On.Message)
	to := e.Index + by
	switch {
	case !ok:
		return m.notice.Say("This request has no such message.")
	case to < 0:
		return m.notice.Say("This is the first message.")
	case to >= len(plan.Entries):
		return m.notice.Say("This is the last message.")
	}
	id := plan.Entries[to].ID
	m.Panel.GoTo(id)
	m.Chat.GoTo(id)
	return m.inspector.Inspect(inspector.Subject{Message: id}, "")
}
