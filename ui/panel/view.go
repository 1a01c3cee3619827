package panel

import (
	"slices"

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
		missing := p.wrap(in, note{p.Themes.Styles.Muted, p.Shown().Missing()})
		return theme.Blank(framed(append(lines, missing...), w), w, h)
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

// note is a text in a style.
type note struct {
	style lipgloss.Style
	text  string
}

// wrap breaks texts into lines, none for "".
func (p *Model) wrap(w int, notes ...note) []string {
	var lines []string
	for _, n := range notes {
		if n.text != "" {
			lines = append(lines, theme.WrapStyled(n.style, markdown.Visible(n.text), w)...)
		}
	}
	return lines
}
