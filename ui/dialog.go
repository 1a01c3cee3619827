package ui

import (
	"winnow/ui/dialog"
	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/sessions"
)

// covered says that the keys are for something that lies over the panes.
func (m *Model) covered() bool { return m.dialogs.Top() != nil || m.Panel.Whatif != nil }

// closed is called when a dialog has gone. The draft has no cursor in the transcript.
func (m *Model) closed(d dialog.Dialog) {
	if d == m.Inspector {
		m.Inspector.Forget()
	}
	if !m.covered() && m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// bare takes away all that covers the panes.
func (m *Model) bare() {
	m.LeaveWhatif()
	m.dialogs.Clear()
}

// dialogTitle is the title of the uppermost dialog, and what stands at the right end of the header.
func (s screen) dialogTitle() (title, right string) {
	m, st := s.m, s.st
	switch d := m.dialogs.Top().(type) {
	case *sessions.Model:
		return d.Title(), st.Muted.Render(d.Position())
	case *inspector.Model:
		title = d.Title()
		if d.Past != nil && d.On.Message != 0 {
			title = panel.TurnName(d.Past.RecordedRequest) + frame.Crumb + title
		}
		return markdown.OneLine(m.Title(), m.layout.Width) + frame.Crumb + title, d.Views(st)
	case *dialog.Reader:
		return d.Name, ""
	case *dialog.Picker:
		title = d.Options.Title
	}
	return title, ""
}
