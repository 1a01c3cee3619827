package inspector

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// pager is a text to scroll through. Only the lines on the screen are wrapped, so that a text of many megabytes opens
// at once: the viewport of Bubbles would measure every line at each view.
type pager struct {
	lines []Page
	rows  map[int][]row // of lines that were wrapped, at width w
	wide  bool          // a line of text may be as wide as the screen: it is no prose
	top   spot
	w, h  int
}

// spot is a row of a line. The one behind the last row is row 0 of the line behind the last.
type spot struct{ line, row int }

// write appends a page, whose end is the end of a line. What is sent, what is not, and the marker between them have
// lines of their own.
func (g *pager) write(p Page) {
	var line Page
	feed := func() { g.lines, line = append(g.lines, line), nil }
	for _, s := range p {
		if n := len(line); n > 0 && apart(line[n-1].Kind, s.Kind) {
			feed()
			s.Text = strings.TrimPrefix(strings.TrimPrefix(s.Text, " "), "\n") // as where a line is wrapped
		}
		for s.Text != "" {
			n := lineLength(s.Text)
			line.add(s.Kind, s.Text[:n])
			ends := s.Text[n-1] == '\n'
			if s.Text = s.Text[n:]; ends || s.Text != "" {
				feed()
			}
		}
	}
	if line != nil {
		feed()
	}
}

// apart reports whether two kinds do not share a row.
func apart(a, b Kind) bool {
	return a != b && b >= Sent && (a == Unsent || b == Unsent || a == Marker || a == Aside || b == Marker)
}

// lineLength is how much of a text goes onto a line: up to its first newline. A line is wrapped as a whole, so a long
// one is broken whatever it holds.
func lineLength(text string) int {
	const longest = 8 << 10
	if end := strings.IndexByte(text[:min(len(text), longest)], '\n'); end >= 0 {
		return end + 1
	}
	if len(text) <= longest {
		return len(text)
	}
	end := longest
	for end > longest-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// resize gives the pager its size in cells. The line at the top stays there.
func (g *pager) resize(w, h int) {
	if w != g.w {
		g.rows, g.top.row = nil, 0
	}
	g.w, g.h = w, h
	g.settle()
}

// wrapped is a line's rows. Every line has one.
func (g *pager) wrapped(i int) []row {
	const kept = 1 << 10
	if g.rows == nil || len(g.rows) >= kept {
		g.rows = map[int][]row{}
	}
	if g.rows[i] == nil {
		w := textWidth(g.w)
		if !g.wide {
			w = min(w, measure)
		}
		g.rows[i] = rowsOf(g.lines[i], w, textWidth(g.w))
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

// scroll moves by rows.
func (g *pager) scroll(by int) {
	g.top = g.move(g.top, by)
	g.settle()
}

// goTo scrolls a line to the top.
func (g *pager) goTo(line int) {
	g.top = spot{line, 0}
	g.settle()
}

// end is the first row below the screen.
func (g *pager) end() spot { return g.move(g.top, g.h) }

// view draws the rows on the screen; line chosen, -1 for none, is the one under the cursor.
func (g *pager) view(st theme.Styles, chosen int) []string {
	var lines []string
	for at := g.top; at.line < len(g.lines) && len(lines) < g.h; at = g.move(at, 1) {
		lines = append(lines, g.wrapped(at.line)[at.row].draw(st, g.w, at.line == chosen))
	}
	return lines
}

// jump scrolls to the next heading, or to the one before, and says whether there is one.
func (g *pager) jump(by int) bool {
	for i := g.top.line + by; i >= 0 && i < len(g.lines); i += by {
		if len(g.lines[i]) > 0 && g.lines[i][0].Kind == Title {
			g.goTo(i)
			return true
		}
	}
	return false
}

// position says how far down the text the screen is, "" where it holds all of it.
func (g *pager) position() string {
	end := g.end()
	if g.top == (spot{}) && end.line == len(g.lines) {
		return ""
	}
	return theme.Thousands(end.line*100/len(g.lines)) + " %"
}

// row is one row of a pager on the screen: segments that are safe to draw.
type row struct {
	Page
	mark  string // what is drawn left of the text
	aside string // at the right end
}

const (
	measure   = 92  // the most cells of a line of prose
	markCells = 2   // the glyph or bar left of a text, and the blank after it
	addedMark = "✚" // stands left of a text that winnow has added
)

// marks are what stands left of a text of a kind.
var marks = map[Kind]string{Sent: "▌", Unsent: "┊", Marker: "◐", Added: addedMark}

// textWidth is how many cells a text has on a screen of w cells.
func textWidth(w int) int { return max(1, w-2*theme.Gutter(w)-markCells) }

// rowsOf lays a line out: w cells for its text, and right cells where something stands at its right end, which has a
// row of its own where there is no room for it.
func rowsOf(line Page, w, right int) []row {
	var text Page
	glyph, aside, kind := "", "", Plain
	for _, s := range line {
		shown := markdown.Visible(strings.TrimRight(s.Text, "\r\n"))
		switch s.Kind {
		case Drawn:
			return []row{{Page: Page{{Drawn, strings.TrimSuffix(s.Text, "\n")}}}}
		case Glyph:
			glyph = shown
		case Aside:
			aside = shown
		default:
			kind = s.Kind
			text.add(s.Kind, shown)
		}
	}
	list := wrap(text, w)
	if len(text) == 0 && (kind == Sent || kind == Unsent) {
		list[0].mark = marks[kind] // a blank line of a message
	}
	for i := range list {
		if glyph != "" {
			list[i].mark = glyph
		}
	}
	switch {
	case aside == "":
	case theme.Width(list[0].text())+2+theme.Width(aside) <= right:
		list[0].aside = aside
	default:
		list = append(list, wrap(Page{{Quiet, aside}}, right)...)
	}
	return list
}

// wrap breaks a line into rows of at most w cells. Of the kinds in a row that have a mark the last one decides it.
func wrap(line Page, w int) (list []row) {
	text, at := line.text(), 0
	for _, part := range theme.Wrap(text, w) {
		at += strings.Index(text[at:], part) // blanks at which it was broken are left out
		r, kind := row{Page: line.between(at, at+len(part))}, Plain
		for _, s := range r.Page {
			kind = max(kind, s.Kind)
		}
		r.mark = marks[kind]
		list = append(list, r)
		at += len(part)
	}
	return list
}

// between is a part of a page, in bytes of its text.
func (p Page) between(from, to int) (part Page) {
	for _, s := range p {
		if from < len(s.Text) && to > 0 {
			part.add(s.Kind, s.Text[max(0, from):min(len(s.Text), to)])
		}
		from, to = from-len(s.Text), to-len(s.Text)
	}
	return part
}

// draw is the row on a screen of w cells.
func (r row) draw(st theme.Styles, w int, chosen bool) string {
	if len(r.Page) == 1 && r.Page[0].Kind == Drawn {
		return r.Page[0].Text
	}
	g, mark := theme.Gutter(w), st.OfGlyph(r.mark)
	if r.mark == marks[Unsent] {
		mark = st.Faint
	}
	edge := strings.Repeat(" ", g)
	if chosen {
		edge = st.Seen.Render("▌") + edge[1:]
	}
	line := edge + theme.Fit(mark.Render(r.mark), markCells)
	for _, s := range r.Page {
		line += r.style(st, s.Kind).Render(s.Text)
	}
	if r.aside != "" {
		line = theme.Spread(line, st.Muted.Render(r.aside), w-g)
	}
	if chosen {
		return theme.Ground(st.Selected, theme.Fit(line, w))
	}
	return line
}

// style is the style of a kind of text in the row.
func (r row) style(st theme.Styles, k Kind) lipgloss.Style {
	switch {
	case k == Verdict && r.mark != "○" && r.mark != "⊘":
		return st.OfGlyph(r.mark)
	case k == Verdict, k == Unsent, k == Quiet:
		return st.Muted
	case k == Marker:
		return st.Cut.Bold(true)
	case k == Added:
		return st.OfGlyph(addedMark).Bold(true)
	case k == Title:
		return st.Strong
	case k == Warning:
		return st.Cut
	}
	return st.Text
}

// indented wraps a text to where texts stand on a screen of w cells, at most as wide as prose.
func indented(style lipgloss.Style, text string, w int) []string {
	left := theme.Gutter(w) + markCells
	return theme.IndentedTo(style, markdown.Visible(text), left, left+min(measure, textWidth(w)))
}

// ruleIn is a rule between the gutters of a screen of w cells.
func ruleIn(st theme.Styles, w int) string {
	g := theme.Gutter(w)
	return strings.Repeat(" ", g) + st.Rule(w-2*g)
}
