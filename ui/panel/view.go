package panel

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Width is how many cells the panel takes beside the page: the rule, the column of the cursor, the text and the
// gutter of the screen.
const (
	Width     = 1 + 1 + textWidth + 2
	textWidth = 44
)

// The heights from which the panel has its bar, the head of its columns, and blank lines and with the focus the legend.
const (
	barHeight    = 8
	columnHeight = 15
	airyHeight   = 24
)

// line is a line of the screen that is written from left to right.
type line struct {
	b      strings.Builder
	w, at  int            // how many cells it has, and how many are written
	ground lipgloss.Style // under all of it
}

func newLine(w int) *line { return &line{w: w} }

// add writes a text as far as it fits.
func (l *line) add(text string, style lipgloss.Style) {
	if text == "" || l.at >= l.w {
		return
	}
	if l.at+theme.Width(text) > l.w {
		text = theme.Fit(text, l.w-l.at)
	}
	l.at += theme.Width(text)
	l.b.WriteString(style.Inherit(l.ground).Render(text))
}

// cut writes the first line of a text up to a cell.
func (l *line) cut(text string, style lipgloss.Style, end int) {
	if end > l.at {
		l.add(markdown.OneLine(text, end-l.at), style)
	}
}

// to writes blanks up to a cell.
func (l *line) to(cell int) {
	if cell > l.at {
		l.add(strings.Repeat(" ", cell-l.at), lipgloss.NewStyle())
	}
}

// String is the line.
func (l *line) String() string { return l.b.String() }

// words are a part of a line in one style.
type words struct {
	text  string
	style lipgloss.Style
}

// between draws words at both ends of w cells. Where they do not fit, those on the left give way.
func between(w int, left, right []words) string {
	rest := w
	for _, p := range right {
		rest -= theme.Width(p.text)
	}
	row := newLine(w)
	for _, p := range left {
		if row.at+theme.Width(p.text) < rest || rest == w && row.at+theme.Width(p.text) <= w {
			row.add(p.text, p.style)
			continue
		}
		row.cut(p.text, p.style, min(rest-1, w))
		break
	}
	row.to(rest)
	for _, p := range right {
		row.add(p.text, p.style)
	}
	row.to(w)
	return row.String()
}

// Pane draws the panel beside the page in w by h cells: the rule between them, with marks beside the lines of the
// messages that are on the page, and the panel.
//
// It is drawn once, and again when its size, the focus, or what is around it is another, or after Changed. The lines
// are not the caller's to change.
func (p *Model) Pane(st theme.Styles, w, h int, focused bool) []string {
	if w < 1 || h < 1 {
		return nil
	}
	by := pane{w: w, h: h, focused: focused, around: p.Around}
	if by.lines = p.drawn.lines; by.lines == nil || !p.drawn.alike(by) {
		by.lines = p.pane(st, w, h, focused)
		p.drawn = by
	}
	return p.drawn.lines
}

// pane is the panel as it was drawn last, and what for.
type pane struct {
	lines   []string // nil: it is to be drawn
	w, h    int
	focused bool
	around  Around
}

func (d pane) alike(with pane) bool {
	return d.w == with.w && d.h == with.h && d.focused == with.focused && d.around == with.around
}

// Changed has the panel drawn anew: anything that it shows may be another, its colours too.
func (p *Model) Changed() { p.drawn = pane{} }

func (p *Model) pane(st theme.Styles, w, h int, focused bool) []string {
	lines := make([]string, 1, h)
	if h > 2 {
		lines = append(lines, p.View(st, w-1, h-2, focused)...)
	}
	for len(lines) < h {
		lines = append(lines, "")
	}
	for i := range lines {
		edge := st.Lines.Render("│")
		switch {
		case focused:
			edge = st.Seen.Render("│")
		case p.onPage(i - 1):
			edge = st.Muted.Render("┃")
		}
		lines[i] = edge + theme.Fit(lines[i], w-1)
	}
	return lines
}

// View draws the panel in w by h cells: what request it is, the sums, the list, and below it what is next, or with
// the focus the reason for the line under the cursor. The first cell of each line is the cursor's.
func (p *Model) View(st theme.Styles, w, h int, focused bool) []string {
	gutter := 2
	if w < Width-1 {
		gutter = 1
	}
	in := max(1, w-1-gutter)
	r := p.Shown()
	if !r.Ready {
		lines := []string{between(in, []words{{p.heading(), st.Strong}}, nil)}
		for _, line := range theme.WrapStyled(st.Muted, r.Missing(), in) {
			lines = append(lines, theme.Fit(line, in))
		}
		return framed(lines, w, h)
	}
	head, foot := p.head(st, in, h, focused), p.foot(st, in, focused)
	if len(head)+leastRows > h {
		head = head[:max(0, min(len(head), h-leastRows))]
	}
	if len(head)+len(foot)+leastRows > h {
		foot = nil
	}
	lines := framed(head, w, len(head))
	if p.Whatif != nil {
		for i, d := range p.Whatif.dialsIn(h) {
			if at := dialsFrom(h) + i; at < len(lines) {
				lines[at] = p.Whatif.dial(st, d, in, w)
			}
		}
	}
	lines = append(lines, p.rows(st, in, w, len(lines), max(0, h-len(head)-len(foot)), focused)...)
	for len(lines)+len(foot) < h {
		lines = append(lines, strings.Repeat(" ", w))
	}
	return append(lines, framed(foot, w, len(foot))...)[:h]
}

// leastRows is how much of the list head and foot leave.
const leastRows = 3

// framed puts lines behind the column of the cursor.
func framed(lines []string, w, h int) []string {
	out := make([]string, h)
	for i := range out {
		line := ""
		if i < len(lines) {
			line = " " + lines[i]
		}
		out[i] = theme.Fit(line, w)
	}
	return out
}
