package inspector

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"winnow/ui/keymap"
	"winnow/ui/markdown"
	"winnow/ui/theme"
)

const (
	measure   = 92 // the most cells of a line of prose
	markCells = 2  // the glyph or bar left of a text, and the blank after it
)

// pager is a page to scroll through. Only the lines on the screen are wrapped, so that a text of many megabytes opens
// at once: the viewport of Bubbles would measure every line at each view.
type pager struct {
	page   Page
	lines  []line
	rows   map[int][]string // of lines that were wrapped, at width w
	st     *theme.Styles
	wide   bool // a line of text may be as wide as the screen: it is no prose
	top    spot
	w, h   int
	height int // of the screen: the text has what the foot leaves of it

	foot func() []string // draws what stays below the text; nil for nothing
}

// line is a line of a paragraph.
type line struct {
	*Paragraph
	text  string
	first bool
}

// spot is a row of a line. The one behind the last row is row 0 of the line behind the last.
type spot struct{ line, row int }

// split takes the page apart into lines.
func (g *pager) split() {
	before := Plain
	for i := range g.page.paragraphs {
		p := &g.page.paragraphs[i]
		text, first := p.Text, true
		if before >= Sent && p.Kind >= Sent { // one text goes on, as where it is wrapped
			if text = strings.TrimPrefix(strings.TrimPrefix(text, " "), "\n"); text == "" {
				continue
			}
		}
		before = p.Kind
		for rest := range strings.Lines(cmp.Or(text, "\n")) {
			for n := 0; rest != ""; rest, first = rest[n:], false {
				n = piece(rest)
				g.lines = append(g.lines, line{p, rest[:n], first})
			}
		}
	}
}

// piece is how many bytes of a line are wrapped as a whole: of a long one not all.
func piece(text string) int {
	const longest = 8 << 10
	end := min(len(text), longest)
	for end > longest-utf8.UTFMax && end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// resize gives the pager its size in cells. The line at the top stays there.
func (g *pager) resize(w, h int) {
	if g.lines == nil {
		g.split()
	}
	if w != g.w {
		g.rows, g.top.row = nil, 0
	}
	g.w, g.height = w, h
	g.fit()
}

// fit gives the text what the foot leaves of the screen. A low screen has no foot.
func (g *pager) fit() {
	const leastText = 4 // lines
	g.h = max(1, g.height)
	if g.foot != nil && g.height-len(g.foot()) >= leastText {
		g.h = g.height - len(g.foot())
	}
	g.settle()
}

// wrapped is a line's rows. Every line has one.
func (g *pager) wrapped(i int) []string {
	const kept = 1 << 10
	if g.rows == nil || len(g.rows) >= kept {
		g.rows = map[int][]string{}
	}
	if g.rows[i] == nil {
		g.rows[i] = g.draw(g.lines[i])
	}
	return g.rows[i]
}

// move is so many rows below a spot, or above it, as far as there are rows.
func (g *pager) move(at spot, by int) spot {
	for ; by < 0 && at != (spot{}); by++ {
		if at.row == 0 {
			at = spot{at.line - 1, len(g.wrapped(at.line - 1))}
		}
		at.row--
	}
	for ; by > 0 && at.line < len(g.lines); by-- {
		if at.row++; at.row >= len(g.wrapped(at.line)) {
			at = spot{at.line + 1, 0}
		}
	}
	return at
}

// settle goes back as far as the screen would be empty below the end.
func (g *pager) settle() {
	last := g.move(spot{len(g.lines), 0}, -g.h)
	if g.top.line > last.line || g.top.line == last.line && g.top.row > last.row {
		g.top = last
	}
}

// goTo scrolls a line to the top.
func (g *pager) goTo(line int) {
	g.top = spot{line, 0}
	g.settle()
}

// scroll moves the text by rows, or to one of its ends.
func (g *pager) scroll(by int) {
	switch by {
	case -keymap.AllLines:
		g.top = spot{}
	case keymap.AllLines:
		g.top = spot{len(g.lines), 0}
	default:
		g.top = g.move(g.top, by)
	}
	g.settle()
}

// jump scrolls to the next heading, or to the one before, where there is one.
func (g *pager) jump(by int) {
	for i := g.top.line + by; i >= 0 && i < len(g.lines); i += by {
		if g.lines[i].first && g.lines[i].Title != "" {
			g.goTo(i)
			return
		}
	}
}

// position says how far down the text the screen is, "" where it holds all of it.
func (g *pager) position() string {
	end := g.move(g.top, g.h)
	if g.top == (spot{}) && end.line == len(g.lines) {
		return ""
	}
	return theme.Thousands(end.line*100/len(g.lines)) + " %"
}

// View draws the rows on the screen.
func (g *pager) View() (rows []string) {
	for at := g.top; at.line < len(g.lines) && len(rows) < g.h; at = g.move(at, 1) {
		rows = append(rows, g.wrapped(at.line)[at.row])
	}
	if g.h < g.height {
		rows = append(rows, g.foot()...)
	}
	return rows
}

// textWidth is how many cells a text has on a screen of w cells.
func textWidth(w int) int { return max(1, w-2*theme.Gutter(w)-markCells) }

// draw draws a line in rows. What stands at its right end has a row of its own where there is no
// room for it.
func (g *pager) draw(l line) []string {
	if l.Kind == Drawn {
		return []string{l.text}
	}
	title, aside, mark := "", "", marks[l.Kind]
	if l.first {
		title, aside = markdown.Visible(l.Title), l.Aside
	}
	w, style := textWidth(g.w), g.style(l.Paragraph)
	room := min(w, measure)
	if g.wide {
		room = w
	}
	rows := theme.Wrap(title+markdown.Visible(strings.TrimRight(l.text, "\r\n")), room)
	for i, row := range rows {
		mark := mark
		if i == 0 && l.first {
			mark = cmp.Or(l.Mark, mark)
		}
		bold := []theme.Span{{From: 0, To: len(title), Style: g.st.Strong}}
		rows[i] = g.marked(mark) + theme.Paint(row, style, bold)
		title = title[min(len(row), len(title)):]
	}
	switch {
	case aside == "":
	case theme.Width(rows[0])+2+theme.Width(aside) <= g.w-theme.Gutter(g.w):
		rows[0] = theme.Spread(rows[0], g.st.Muted.Render(aside), g.w-theme.Gutter(g.w))
	default:
		for _, row := range theme.WrapStyled(g.st.Muted, aside, w) {
			rows = append(rows, g.marked("")+row)
		}
	}
	return rows
}

// marks are what stands left of a text of a kind.
var marks = map[Kind]string{Sent: "▌", Unsent: "┊", Marker: "◐", Added: "✚"}

// marked is a mark in the cells left of a text, behind the gutter.
func (g *pager) marked(mark string) string {
	style := g.st.OfGlyph(mark)
	if mark == marks[Unsent] {
		style = g.st.Faint
	}
	return strings.Repeat(" ", theme.Gutter(g.w)) + theme.Fit(style.Render(mark), markCells)
}

// style is the style of a paragraph's text.
func (g *pager) style(p *Paragraph) lipgloss.Style {
	switch {
	case p.Kind == Verdict && p.Mark != "○" && p.Mark != "⊘":
		return g.st.OfGlyph(p.Mark)
	case p.Kind == Verdict, p.Kind == Unsent, p.Kind == Quiet:
		return g.st.Muted
	case p.Kind == Marker:
		return g.st.Cut.Bold(true)
	case p.Kind == Added:
		return g.st.OfGlyph(marks[Added]).Bold(true)
	case p.Kind == Warning:
		return g.st.Cut
	}
	return g.st.Text
}
