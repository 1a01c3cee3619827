package panel

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// Width is how many cells the panel takes beside the page: the rule, the column of the cursor, the text and the
// gutter of the screen.
const Width = 1 + 1 + 44 + 2

// The heights from which the panel has the head of its columns, and blank lines and with the focus the legend.
const (
	columnHeight = 15
	airyHeight   = 24
)

// leastRows is how much of the list head and foot leave.
const leastRows = 3

// Pane draws the panel beside the page in w by h cells: the rule between them, with marks beside the lines of the
// messages that are on the page, and the panel below a blank line.
func (p *Model) Pane(w, h int) []string {
	st := &p.Themes.Styles
	lines := append([]string{""}, p.View(w-1, h-2)...)
	for len(lines) < h {
		lines = append(lines, "")
	}
	for i := range lines {
		edge := st.Lines.Render("│")
		switch line := i - 1 - p.list.top + p.list.first; {
		case p.hasKeys():
			edge = st.Seen.Render("│")
		case i > p.list.top && line < p.list.end && line >= p.list.page0 && line < p.list.page1:
			edge = st.Muted.Render("┃")
		}
		lines[i] = edge + theme.Fit(lines[i], w-1)
	}
	return lines
}

// hasKeys says that the panel, or its dials, have the keys.
func (p *Model) hasKeys() bool { return p.Focused || p.Whatif != nil }

// View draws the panel in w by h cells: what request it is, the sums, the list, and below it what is next, or with
// the focus the reason for the line under the cursor. The first cell of each line is the cursor's.
func (p *Model) View(w, h int) []string {
	in := max(1, w-1-theme.Gutter(2*w))
	if !p.Shown().Ready {
		lines := []string{p.Themes.Styles.Strong.Render(p.heading())}
		return theme.Blank(framed(append(lines, p.wrap(p.Themes.Styles.Muted, p.Shown().Missing(), in)...), w), w, h)
	}
	head, foot := p.head(w, in, h), framed(p.foot(in), w)
	head = head[:max(0, min(len(head), h-leastRows))]
	if len(head)+len(foot)+leastRows > h {
		foot = nil
	}
	list := p.rows(in, w, len(head), max(0, h-len(head)-len(foot)))
	return append(theme.Blank(slices.Concat(head, list), w, h-len(foot)), foot...)
}

// framed puts lines behind the column of the cursor.
func framed(lines []string, w int) []string {
	framed := make([]string, len(lines))
	for i, line := range lines {
		framed[i] = theme.Fit(" "+line, w)
	}
	return framed
}

// wrap breaks a text into lines of one style, none for "".
func (p *Model) wrap(style lipgloss.Style, text string, w int) []string {
	if text == "" {
		return nil
	}
	return theme.WrapStyled(style, markdown.Visible(text), w)
}

// line is a line of the screen that is written from left to right.
type line struct {
	b     strings.Builder
	w, at int // how many cells it has, and how many are written
}

// add writes a text as far as it fits.
func (l *line) add(text string, style lipgloss.Style) {
	if l.at+theme.Width(text) > l.w {
		text = theme.Fit(text, l.w-l.at)
	}
	if text != "" {
		l.at += theme.Width(text)
		l.b.WriteString(style.Render(text))
	}
}

// cut writes the first line of a text up to a cell.
func (l *line) cut(text string, style lipgloss.Style, end int) {
	if end > l.at {
		l.add(markdown.OneLine(text, end-l.at), style)
	}
}

// to writes blanks up to a cell.
func (l *line) to(cell int) {
	if cell = min(cell, l.w); cell > l.at {
		l.b.WriteString(strings.Repeat(" ", cell-l.at))
		l.at = cell
	}
}

// on is the whole line: under the cursor it has its mark and its ground.
func (l *line) on(st *theme.Styles, cursor bool) string {
	l.to(l.w)
	if !cursor {
		return l.b.String()
	}
	return theme.Ground(st.Selected, l.b.String())
}
