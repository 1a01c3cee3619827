package ui

import (
	"winnow/ui/dialog"
	"winnow/ui/frame"
	"winnow/ui/inspector"
	"winnow/ui/markdown"
	"winnow/ui/panel"
	"winnow/ui/sessions"
)

// covered reports whether a dialog or the What-if trial covers the panes and gets the keys.
func (m *Model) covered() bool { return m.dialogs.Top() != nil || m.Panel.Whatif != nil }

// closed is called when a dialog has closed.
func (m *Model) closed(d dialog.Dialog) {
	if d == m.Inspector {
		m.Inspector.Clear()
	}
	if !m.covered() && m.focus == draftPane {
		m.setFocus(draftPane)
	}
}

// clearOverlays closes all dialogs and the What-if trial.
func (m *Model) clearOverlays() {
	m.LeaveWhatif()
	m.dialogs.Clear()
}

// dialogTitle returns the title of the top dialog, and the text at the right end of the header.
func (s screen) dialogTitle() (title, right string) {
	m, st := s.m, s.st
	switch d := m.dialogs.Top().(type) {
	case *sessions.Model:
		return d.Title(), st.Muted.Render(d.Position())
	case *inspector.Model:
		title = d.Title()
		if d.Past != nil && d.Subject.Message != 0 {
			title = panel.TurnName(d.Past.RecordedRequest) + frame.Crumb + title
		}
		return markdown.OneLine(m.Title(), m.layout.Width) + frame.Crumb + title, d.ViewTabs(st)
	case *dialog.Reader:
		return d.Name, ""
	case *dialog.Picker:
		title = d.Options.Title
	}
	return title, ""
}
