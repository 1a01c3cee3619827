package ui

import (
	"context"
	"slices"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"winnow/session"
	"winnow/ui/event"
	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/panel"
	"winnow/ui/theme"
)

// inspectorOverlay is a message or a request in full. It fills the screen between header and footer.
type inspectorOverlay struct{ replaces }

func (inspectorOverlay) update(m *Model, msg tea.Msg) tea.Cmd {
	if click, ok := msg.(tea.MouseClickMsg); ok {
		return clickInspector(m, click)
	}
	key, ok := msg.(tea.KeyPressMsg)
	k := &m.keys
	switch {
	case !ok:
	case k.Pressed(key, keymap.Earlier, keymap.Later, keymap.Compare):
		return m.panel.Update(key)
	case k.Pressed(key, keymap.Request):
		return m.inspectRequest()
	case k.Pressed(key, keymap.TakeBack):
		return m.do(keymap.TakeBack)
	}
	return m.updateInspector(msg)
}

// clickInspector is a click on the names of the views in the header, or below it.
func clickInspector(m *Model, click tea.MouseClickMsg) tea.Cmd {
	if m.layout.Header.Holds(click.X, click.Y) {
		names := theme.Width(inspectorOverlay{}.views(m))
		return m.updateInspector(inspector.ClickView{
			X: click.X - (m.layout.Width - theme.Gutter(m.layout.Width) - names),
		})
	}
	return m.updateInspector(inspector.Click{Y: click.Y - m.overlayInner().Y})
}

func (inspectorOverlay) view(m *Model, in theme.Box) ([]string, *tea.Cursor) {
	m.inspector.Request = m.inspected(m.panel.Shown())
	return m.inspector.View(m.themes.Styles), nil
}

func (inspectorOverlay) title(m *Model) (string, string) {
	title := m.inspector.Title()
	if in := &m.inspector; in.Past != nil && !in.On.Request {
		title = in.Name + frame.Crumb + title
	}
	return breadcrumb(m, title), ""
}

// views are the names of the views, in at most the right half of the header.
func (inspectorOverlay) views(m *Model) string {
	return m.inspector.Views(m.themes.Styles, m.layout.Width/2)
}

func (inspectorOverlay) state(m *Model) string { return m.inspector.Position() }

func (inspectorOverlay) hints(m *Model) []key.Binding { return m.inspector.Hints() }

// inspected is a request of the panel as the inspector takes it.
func (m *Model) inspected(r *panel.Request) inspector.Request {
	return inspector.Request{
		Plan: r.Plan, Added: r.Added, Past: r.Past, Name: m.panel.Name(r), Ready: r.Ready, Note: r.Note,
		Busy: m.turn.Busy, Tried: m.panel.Whatif != nil,
	}
}

// updateInspector gives the inspector what concerns it, and does what it asks for.
func (m *Model) updateInspector(msg tea.Msg) tea.Cmd {
	m.inspector.Request = m.inspected(m.panel.Shown())
	var cmd tea.Cmd
	m.inspector, cmd = m.inspector.Update(msg)
	return m.handle(cmd, m.inspector.Events(), m.inspectorEvent)
}

// inspectorEvent does what the inspector cannot do itself.
func (m *Model) inspectorEvent(e event.Event) tea.Cmd {
	s, r := m.current.Session, m.panel.Shown()
	switch e := e.(type) {
	case inspector.Closed:
		m.inspector.Forget()
		m.uncover()
	case inspector.Step:
		return m.stepInspected(e.By)
	case inspector.Open:
		return m.panel.Load(e.Turn, e.Request)
	case inspector.Flag:
		return m.chat.FlagThese(e.Flag, e.Message)
	case inspector.Copy:
		return copyText(e.What, e.Text)
	case inspector.ReadBody:
		past, plan, secrets, program := r.Past, r.Plan, m.current.Secrets, m.current.Program()
		return func() tea.Msg {
			if past != nil {
				return inspector.NewBodyMsg(e.Number, past.Body, nil, secrets)
			}
			raw, err := s.Try(program, session.Settings{}).Body(plan)
			return inspector.NewBodyMsg(e.Number, raw, err, secrets)
		}
	case inspector.ReadBefore:
		turn, nth := m.current.Info.Turns+1, 1
		if r.Past != nil {
			turn, nth = r.Past.Request.Turn, r.Past.Nth
		}
		return m.current.Run(func(ctx context.Context) tea.Msg { return readBefore(ctx, s, e.Number, turn, nth) })
	case inspector.ReadVerdicts:
		return m.current.Run(func(ctx context.Context) tea.Msg {
			list, err := s.Store().VerdictHistory(ctx, e.Message, e.Limit)
			return inspector.VerdictsMsg{
				Answer: inspector.Answer{Number: e.Number, Err: err}, List: list, Limit: e.Limit,
			}
		})
	}
	return nil
}

// readBefore reads the verdicts of the request before the nth of a turn.
func readBefore(ctx context.Context, s *session.Session, number, turn, nth int) tea.Msg {
	r, err := panel.Neighbour(ctx, s, turn, nth, -1)
	msg := inspector.BeforeMsg{Answer: inspector.Answer{Number: number, Err: err}}
	if r != nil {
		msg.Before = &inspector.Request{Name: panel.TurnName(*r), Plan: r.Verdicts}
	}
	return msg
}

// inspect opens the inspector.
func (m *Model) inspect(on inspector.Subject, at inspector.View) tea.Cmd {
	if !m.overlays.onTop(inspectorOverlay{}) {
		m.inspector.Forget()
		m.overlays.open(inspectorOverlay{})
	}
	return m.updateInspector(inspector.Inspect{On: on, At: at})
}

// inspectRequest opens the inspector on the whole request.
func (m *Model) inspectRequest() tea.Cmd {
	if r := m.panel.Shown(); !r.Ready {
		return m.notice.Say(r.Missing())
	}
	return m.inspect(inspector.Subject{Request: true}, inspector.TextView)
}

// stepInspected goes to another line of the request's list. The cursors of panel and transcript go along.
func (m *Model) stepInspected(by int) tea.Cmd {
	r := m.panel.Shown()
	line := lineOfSubject(r, m.inspector.On)
	on, ok := subjectAt(r, line+by)
	switch {
	case line < 0:
		return m.notice.Say("This request has no such message.")
	case !ok && by < 0:
		return m.notice.Say("This is the first message.")
	case !ok:
		return m.notice.Say("This is the last message.")
	}
	m.panel.Put(line + by)
	m.follow()
	return m.updateInspector(inspector.Inspect{On: on})
}

// subjectAt is what a line of the request's list is about.
func subjectAt(r *panel.Request, line int) (inspector.Subject, bool) {
	if line < 0 || line >= len(r.Rows) {
		return inspector.Subject{}, false
	}
	if e := r.Rows[line].Entry; e != nil {
		return inspector.Subject{Message: e.ID}, true
	}
	return inspector.Subject{Added: r.Rows[line].Added}, true
}

// lineOfSubject is where a subject stands in the request's list, -1 where it does not.
func lineOfSubject(r *panel.Request, on inspector.Subject) int {
	return slices.IndexFunc(r.Rows, func(row panel.Row) bool {
		return row.Added > 0 && row.Added == on.Added || row.Entry != nil && row.Entry.ID == on.Message
	})
}
