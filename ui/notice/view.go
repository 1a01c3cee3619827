package notice

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// mostLines is the most lines of a sentence: the lower line, and the frames' lower edge above it.
const mostLines = 2

// View draws the sentence, without lines where there is none. It is on one line where that must do.
func (m *Model) View(st theme.Styles, w int, oneLine bool) []string {
	if m.sentence.Text == "" {
		return nil
	}
	style, mark := st.Text, " · "
	if m.sentence.Error {
		style, mark = st.Cut, " ! "
	}
	room := max(1, w-3)
	text := markdown.OneLine(m.sentence.Text, 1<<20)
	lines := []string{text}
	if !oneLine {
		lines = theme.Wrap(text, room)
	}
	if len(lines) > mostLines {
		lines = lines[:mostLines]
		for _, s := range lines[:mostLines-1] {
			text = strings.TrimLeft(strings.TrimPrefix(text, s), " ")
		}
		lines[mostLines-1] = text // as it was: a path that wraps at a hyphen gets no blank there
	}
	for i, s := range lines {
		lines[i] = theme.Fit(style.Render(mark+markdown.OneLine(s, room)), w)
		mark = "   "
	}
	return lines
}

// AlertView draws the alert, else the news, in lines of w cells; an alert takes at most so many.
func (m *Model) AlertView(st theme.Styles, w, most int) []string {
	if m.alert.Text != "" {
		lines := m.alert.lines(w, most)
		for i, s := range lines {
			lines[i] = st.Error.Render(s)
		}
		return lines
	}
	if m.news != "" {
		return theme.WrapStyled(st.Cut, "! "+markdown.Visible(m.news), w)
	}
	return nil
}

// mostBytes is the most of an alert that is looked at: more than its lines have room for.
const mostBytes = 8 << 10

// lines are an alert in at most n lines of w cells. The way out stands whole at its end, so a server that says a
// lot is cut. A screen with no room for both shows the text.
func (a Alert) lines(w, n int) []string {
	text := "! " + markdown.Visible(a.Text[:min(len(a.Text), mostBytes)])
	both := theme.Wrap(strings.TrimSpace(text+" "+a.Way), w)
	if len(both) <= n {
		return both
	}
	way, lines := theme.Wrap(a.Way, w), theme.Wrap(text, w)
	if a.Way == "" || n <= len(way) {
		return lines[:min(len(lines), n)]
	}
	lines = lines[:n-len(way)]
	last := len(lines) - 1
	lines[last] = ansi.Truncate(lines[last], max(0, w-2), "") + " …"
	return append(lines, way...)
}
