package ui

import (
	"fmt"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// header is the line at the top: title, model, what the next request takes.
func (m *Model) header(w int) string {
	st := m.styles
	if m.layout.small {
		return theme.Fit(st.Warn.Render(fmt.Sprintf("winnow wants %d×%d", wantWidth, wantHeight)), w)
	}
	numbers := ""
	if used := m.used(); used != "" {
		numbers = " · " + used
	}
	room := w - w/3 - 2 - theme.Width(numbers) // the title keeps a third
	right := markdown.OneLine(m.ref, max(1, min(w/2, room))) + numbers
	title := markdown.OneLine(m.title(), w)
	if from := m.forkedFrom(); from != "" {
		title += st.Dim.Render(" · " + markdown.OneLine(from, 40))
	}
	return theme.Spread(" "+st.Accent.Render("winnow")+st.Dim.Render(" · ")+title, st.Dim.Render(right)+" ", w)
}

// title is what the session is called on the screen.
func (m *Model) title() string {
	title := m.secrets.Line(m.info.Title)
	if title == "" {
		title = "new session"
	}
	if m.session.Temporary() {
		return "temporary, not saved · " + title
	}
	return title
}

// used says how much of the limit the next request takes.
func (m *Model) used() string {
	if !m.panel.Next.Ready {
		return ""
	}
	s := m.panel.Next.Plan.Sum
	used := "~" + theme.Thousands(s.Tokens(s.Total))
	if s.Limit <= 0 {
		return used + " tokens"
	}
	return fmt.Sprintf("%s of %s", used, theme.Thousands(s.Limit))
}
