package inspector

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// List is a list with a cursor and a sentence about the line under it. A line is written when it is
// drawn, so that a list of any length is there at once.
type List struct {
	Head   Page                                                // above the list
	N      int                                                 // lines
	Line   func(st theme.Styles, i, w int, chosen bool) string // draws line i in w cells
	Reason func(i int) string                                  // the sentence about line i, "" for none
	None   string                                              // what is said where there are no lines
	At     int
	W, H   int

	drawn rows // where its lines stand on the screen
}

// Resize is as Content has it.
func (l *List) Resize(w, h int) { l.W, l.H = w, h }

// Page is as Content has it.
func (l *List) Page() int { return l.H }

// Scroll is as Content has it.
func (l *List) Scroll(by int) { l.At = max(0, min(l.At+by, l.N-1)) }

// First is as Content has it.
func (l *List) First() { l.At = 0 }

// Last is as Content has it.
func (l *List) Last() { l.Scroll(l.N) }

// Offset is as Content has it.
func (l *List) Offset() int { return l.At }

// GoTo is as Content has it.
func (l *List) GoTo(offset int) { l.Scroll(offset - l.At) }

// Text is all of it, a line each.
func (l *List) Text() string {
	st := theme.New(theme.None, theme.Palette{}, 0)
	var b strings.Builder
	for _, p := range l.Head {
		b.WriteString(p.Text)
	}
	for i := range l.N {
		b.WriteString(strings.TrimSpace(ansi.Strip(l.Line(st, i, copyWidth, false))))
		if reason := l.Reason(i); reason != "" {
			b.WriteString("  " + reason)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// copyWidth is the cells that a line has where it is copied.
const copyWidth = 120

// Position is as Content has it.
func (l *List) Position() string { return theme.OneOf(l.At, l.N) }

// View draws the list. What has no room is left out: first the sentence, then the head.
func (l *List) View(st theme.Styles) []string {
	var head, foot []string
	for _, p := range l.Head {
		head = append(head, indented(kindStyle(st, p.Kind), strings.TrimSuffix(p.Text, "\n"), l.W)...)
	}
	if len(head) > 0 {
		head = append(head, "")
	}
	l.drawn = rows{}
	if l.N == 0 {
		return append(head, indented(st.Muted, l.None, l.W)...)
	}
	if reason := l.Reason(l.At); reason != "" {
		lines := indented(st.Text, theme.UpperFirst(reason), l.W)
		foot = append([]string{ruleIn(st, l.W)}, lines[:min(maxReason, len(lines))]...)
	}
	if l.H < len(head)+len(foot)+leastLines {
		foot = nil
	}
	if l.H < len(head)+leastLines {
		head = nil
	}
	lines := head
	space := max(0, l.H-len(head)-len(foot))
	first, end := theme.Around(l.At, l.N, space)
	l.drawn = rows{at: len(lines), first: first, n: end - first}
	for i := first; i < end; i++ {
		lines = append(lines, l.Line(st, i, l.W, i == l.At))
	}
	for len(lines)+len(foot) < l.H {
		lines = append(lines, "")
	}
	return append(lines, foot...)
}

const (
	maxReason  = 3 // the most lines of the sentence
	leastLines = 3 // how much of the list its head and foot leave
)

// ruleIn is a rule between the gutters of a screen of w cells.
func ruleIn(st theme.Styles, w int) string {
	g := theme.Gutter(w)
	return strings.Repeat(" ", g) + st.Rule(w-2*g)
}

// indented wraps a text to where texts stand on a screen of w cells, at most as wide as prose.
func indented(style lipgloss.Style, text string, w int) []string {
	lines := theme.WrapStyled(style, markdown.Visible(text), min(measure, textWidth(w)))
	for i := range lines {
		lines[i] = inset(w) + lines[i]
	}
	return lines
}

// listRow is a row of a list of verdicts.
type listRow struct {
	glyph string // "" for none
	lead  string // in front of the verdict
	words string // the verdict, in the colour of the glyph
	right string // numbers, which never give way
}

// draw draws the row in w cells.
func (r listRow) draw(st theme.Styles, w int, chosen bool) string {
	g := theme.Gutter(w)
	edge := strings.Repeat(" ", g)
	style := st.OfGlyph(r.glyph)
	glyph := style.Render(r.glyph)
	if r.glyph == "○" || r.glyph == "⊘" {
		style = st.Muted
	}
	if chosen {
		edge = st.Seen.Render("▌") + edge[1:]
	}
	line := edge + theme.Fit(glyph, markCells) + st.Text.Render(r.lead) + style.Render(r.words)
	line = theme.Spread(line, st.Text.Render(r.right), max(0, w-g))
	if chosen {
		return theme.Ground(st.Selected, theme.Fit(line, w))
	}
	return line
}
