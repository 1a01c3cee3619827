package ui

import (
	"slices"

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
		Shown:   func() inspector.Request { return m.inspected(m.panel.Shown()) },
		Message: func(id int64) (store.Message, bool) { return m.chat.Message(id) },
		Prices:  func(e history.Entry) []key.Binding { return m.panel.Prices(e) },
		Step:    m.stepInspected,
		Copy:    copyText,
		Draft:   m.current.Draft,
		Done:    m.settled,
		Close:   func() { m.close(m.inspector) },
		Do:      m.inspectorKey,
	}
}

// inspectorKey is a key that the inspector has the rest of the screen do.
func (m *Model) inspectorKey(msg tea.KeyPressMsg) (cmd tea.Cmd, done bool) {
	switch a := m.Keys.Action(msg, keymap.InInspector|keymap.InRequest); a {
	case keymap.Earlier, keymap.Later:
		return m.panel.Update(msg), true
	case keymap.Request:
		return m.inspectRequest(), true
	case keymap.Pin, keymap.Exclude, keymap.TakeBack:
		if on := m.inspector.On.Message; on != 0 {
			m.chat.GoTo(on)
			return m.do(a), true
		}
	}
	return nil, false
}

// inspected is a request of the panel as the inspector takes it.
func (m *Model) inspected(r *panel.Request) inspector.Request {
	return inspector.Request{
		Plan: r.Plan, Past: r.Past, Name: m.panel.Name(r), Ready: r.Ready, Note: r.Note, Tried: m.panel.Whatif != nil,
	}
}

// inspect opens the inspector.
func (m *Model) inspect(on inspector.Subject, at inspector.View) tea.Cmd {
	if m.dialog() != m.inspector {
		m.inspector.Forget()
		m.open(m.inspector)
	}
	return m.inspector.Inspect(on, at)
}

// inspectRequest opens the inspector on the whole request.
func (m *Model) inspectRequest() tea.Cmd {
	if r := m.panel.Shown(); !r.Ready {
		return m.notice.Say(r.Missing())
	}
	return m.inspect(inspector.Subject{}, inspector.TextView)
}

// inspectRow opens the inspector on a row of the panel: on its message, or for text that nobody said on the message of
// the request that has it.
func (m *Model) inspectRow() tea.Cmd {
	switch row := m.panel.Chosen(); {
	case row.Entry != nil:
		return m.inspect(inspector.Subject{Message: row.Entry.ID}, inspector.TextView)
	case row.Added != nil:
		return m.inspect(inspector.Subject{Part: row.Added.Before}, inspector.TextView)
	}
	return nil
}

// stepInspected goes to another message of the panel. The cursors of panel and transcript go along.
func (m *Model) stepInspected(by int) tea.Cmd {
	rows := m.panel.Shown().Rows
	line := slices.IndexFunc(rows, func(row panel.Row) bool {
		return row.Entry != nil && row.Entry.ID == m.inspector.On.Message
	})
	if line < 0 {
		return m.notice.Say("This request has no such message.")
	}
	for line += by; line >= 0 && line < len(rows); line += by {
		if e := rows[line].Entry; e != nil {
			m.panel.GoTo(e.ID)
			m.follow()
			return m.inspector.Inspect(inspector.Subject{Message: e.ID}, "")
		}
	}
	if by < 0 {
		return m.notice.Say("This is the first message.")
	}
	return m.notice.Say("This is the last message.")
}
