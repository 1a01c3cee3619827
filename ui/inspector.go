package ui

import (
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// inspectorOverlay is a message or a request in full. It fills the screen between header and footer.
type inspectorOverlay struct{ replaces }

func (inspectorOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	in, k := m.inspector, &m.keys
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if !m.layout.Header.Holds(msg.X, msg.Y) {
			return nil
		}
		return in.ClickView(msg.X - (m.layout.Width - m.layout.Gutter - theme.Width(in.Views(m.themes.Styles))))
	case tea.KeyPressMsg:
		switch {
		case k.Pressed(msg, keymap.Earlier, keymap.Later):
			return m.panel.Update(msg)
		case k.Pressed(msg, keymap.Request):
			return m.inspectRequest()
		case k.Pressed(msg, keymap.Pin, keymap.Exclude, keymap.TakeBack) && in.On.Message != 0 &&
			in.At != inspector.RepairView:
			m.chat.GoTo(in.On.Message)
			return m.do(k.Action(msg, keymap.InInspector))
		}
	}
	return in.Update(msg)
}

func (inspectorOverlay) view(m *Model, _ theme.Box) ([]string, *tea.Cursor) {
	return m.inspector.View(m.themes.Styles), nil
}

func (inspectorOverlay) title(m *Model) (string, string) {
	title := m.inspector.Title()
	if in := m.inspector; in.Past != nil && in.On.Message != 0 {
		title = in.Name + frame.Crumb + title
	}
	return breadcrumb(m, title), ""
}

func (inspectorOverlay) views(m *Model) string { return m.inspector.Views(m.themes.Styles) }

func (inspectorOverlay) state(m *Model) string { return m.inspector.Position() }

func (inspectorOverlay) hints(m *Model) []key.Binding { return m.inspector.Hints() }

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
		Close: func() {
			m.inspector.Forget()
			m.uncover()
		},
	}
}

// inspected is a request of the panel as the inspector takes it.
func (m *Model) inspected(r *panel.Request) inspector.Request {
	return inspector.Request{
		Plan: r.Plan, Past: r.Past, Name: m.panel.Name(r), Ready: r.Ready, Note: r.Note, Tried: m.panel.Whatif != nil,
	}
}

// inspect opens the inspector.
func (m *Model) inspect(on inspector.Subject, at inspector.View) tea.Cmd {
	if !m.overlays.onTop(inspectorOverlay{}) {
		m.inspector.Forget()
		m.overlays.open(inspectorOverlay{})
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
