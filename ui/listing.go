package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// listing is a list with a cursor and a sentence about the line under it. A line is written when it is
// drawn, so that a list of any length is there at once.
type listing struct {
	head  page                                                // above the list
	n     int                                                 // lines
	line  func(st theme.Styles, i, w int, chosen bool) string // draws line i in w cells
	about func(i int) string                                  // the sentence about line i, "" for none
	none  string                                              // what is said where there are no lines
	end   func() tea.Cmd                                      // reads more where the cursor is at the end, nil where there is none
	at    int
	w, h  int
}

func (l *listing) resize(w, h int) { l.w, l.h = w, h }
func (l *listing) Scroll(by int)   { l.at = max(0, min(l.at+by, l.n-1)) }
func (l *listing) First()          { l.at = 0 }
func (l *listing) Last()           { l.Scroll(l.n) }
func (l *listing) place() int      { return l.at }
func (l *listing) goTo(place int)  { l.Scroll(place - l.at) }

// text is all of it, a line each.
func (l *listing) text() string {
	st := theme.New(theme.None, theme.Palette{})
	var b strings.Builder
	for _, p := range l.head {
		b.WriteString(p.text)
	}
	for i := range l.n {
		b.WriteString(strings.TrimSpace(ansi.Strip(l.line(st, i, copyWidth, false))))
		if about := l.about(i); about != "" {
			b.WriteString("  " + about)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// copyWidth is the cells that a line has where it is copied.
const copyWidth = 120

func (l *listing) position() string {
	if l.n == 0 {
		return ""
	}
	return theme.Thousands(l.at+1) + "/" + theme.Thousands(l.n)
}

// view draws the list. What has no room is left out: first the sentence, then the head.
func (l *listing) view(st theme.Styles) []string {
	var head, foot []string
	for _, p := range l.head {
		head = append(head, theme.Indented(toneStyle(st, p.tone), markdown.Visible(strings.TrimSuffix(p.text, "\n")), l.w)...)
	}
	if l.n == 0 {
		return append(head, theme.Indented(st.Dim, l.none, l.w)...)
	}
	if about := l.about(l.at); about != "" {
		foot = st.Reason(about, l.w)
	}
	if l.h < len(head)+len(foot)+leastRows {
		foot = nil
	}
	if l.h < len(head)+leastRows {
		head = nil
	}
	lines := head
	room := max(0, l.h-len(head)-len(foot))
	first, end := theme.Around(l.at, l.n, room)
	for i := first; i < end; i++ {
		lines = append(lines, l.line(st, i, l.w, i == l.at))
	}
	for len(lines)+len(foot) < l.h {
		lines = append(lines, "")
	}
	return append(lines, foot...)
}
