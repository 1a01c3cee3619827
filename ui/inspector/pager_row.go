package inspector

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// row is one row of a pager on the screen: segments that are safe to draw.
type row struct {
	segments []Segment
	mark     Kind   // of what is drawn left of the text
	glyph    string // the glyph of a verdict, drawn there instead
	verdict  string // the glyph whose colour the words of a verdict have
	aside    string // at the right end
}

// markCells is the glyph or bar left of a text, and the blank after it.
const markCells = 2

// What stands left of a text.
const (
	sentMark   = "▌"
	unsentMark = "┊"
	markerMark = "◐"
	addedMark  = "✚"
	partMark   = "↺"
)

// textWidth is how many cells a text has on a screen of w cells.
func textWidth(w int) int { return max(1, w-2*theme.Gutter(w)-markCells) }

// inset is what stands left of a text without a mark on a screen of w cells.
func inset(w int) string { return strings.Repeat(" ", theme.Gutter(w)+markCells) }

// measure is the most cells of a line of prose.
const measure = 92

// rowsOf lays a line out, which ends in a kind: w cells for its text, and right cells where something stands at its right
// end. What is sent, what is not, and the marker between them have rows of their own.
func rowsOf(line []Segment, ends Kind, w, right int) []row {
	var rows []row
	var chunk []Segment
	var glyph, pending string
	var before Kind
	begun := false
	flush := func() {
		if len(chunk) > 0 {
			rows = append(rows, wrapLine(chunk, w)...)
			chunk = nil
		}
	}
	for _, p := range line {
		switch p.Text = markdown.Visible(p.Text); {
		case p.Kind == Glyph:
			glyph = strings.TrimSpace(p.Text)
		case p.Kind == Aside:
			pending = strings.TrimSpace(p.Text)
		case p.Text != "":
			if begun && apart(before, p.Kind) {
				flush()
				p.Text = strings.TrimPrefix(p.Text, " ") // as where a line is wrapped at a blank
			}
			begun, before = true, p.Kind
			if len(chunk) == 0 && pending != "" {
				first := len(rows)
				chunk = append(chunk, p)
				flush()
				rows = aligned(rows, first, pending, right)
				pending = ""
				continue
			}
			chunk = append(chunk, p)
		}
	}
	flush()
	if len(rows) == 0 {
		rows = []row{{mark: Quiet}}
		if ofMessage(ends) {
			rows[0].mark = ends
		}
	}
	if pending != "" {
		rows = aligned(rows, 0, pending, right)
	}
	rows[0].glyph = glyph
	for i := range rows {
		rows[i].verdict = glyph
	}
	return rows
}

// aligned puts a text at the right end of a row, or, where there is no room for it, on rows of its own below the last.
func aligned(rows []row, at int, aside string, right int) []row {
	if rows[at].width()+2+theme.Width(aside) <= right {
		rows[at].aside = aside
		return rows
	}
	return append(rows, wrapLine([]Segment{{Quiet, aside}}, right)...)
}

// apart says that two kinds do not share a row.
func apart(a, b Kind) bool {
	return a != b && (a == Unsent || b == Unsent || a == Marker || b == Marker)
}

// cell is a character of a line, with the cells that it takes.
type cell struct {
	segment int
	text    string
	w       int
}

// wrapLine breaks a line into rows of at most w cells, after a blank where there is one. A blank may
// be one cell further right, where it is not seen.
func wrapLine(line []Segment, w int) []row {
	cells := cellsOf(line)
	var rows []row
	from, used, blank := 0, 0, -1
	for i := 0; i < len(cells); i++ {
		used += cells[i].w
		if used <= w || i == from {
			if cells[i].text == " " {
				blank = i
			}
			continue
		}
		end := i
		switch {
		case cells[i].text == " ":
			end = i + 1
		case blank >= from:
			end = blank + 1
		}
		rows = append(rows, rowOf(line, cells[from:end]))
		from, used, blank, i = end, 0, -1, end-1
	}
	if from < len(cells) || len(rows) == 0 {
		rows = append(rows, rowOf(line, cells[from:]))
	}
	return rows
}

// cellsOf takes a line apart into its characters.
func cellsOf(line []Segment) []cell {
	var cells []cell
	for i, p := range line {
		for text := p.Text; text != ""; {
			if text[0] < 0x80 && (len(text) == 1 || text[1] < 0x80) {
				cells = append(cells, cell{i, text[:1], 1})
				text = text[1:]
				continue
			}
			cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			cells = append(cells, cell{i, cluster, w})
			text = text[len(cluster):]
		}
	}
	return cells
}

// rowOf joins characters of one kind into segments.
func rowOf(line []Segment, cells []cell) row {
	var r row
	var b strings.Builder
	for i, c := range cells {
		b.WriteString(c.text)
		if i+1 == len(cells) || cells[i+1].segment != c.segment {
			r.segments = append(r.segments, Segment{line[c.segment].Kind, b.String()})
			b.Reset()
		}
	}
	r.mark = Quiet
	for _, p := range r.segments {
		if strength(p.Kind) > strength(r.mark) {
			r.mark = p.Kind
		}
	}
	return r
}

// strength orders the kinds of which a row holds several: the strongest one marks it, and one without a mark has none.
func strength(t Kind) int {
	switch t {
	case Sent:
		return 1
	case Unsent, Marker:
		return 2
	case Part:
		return 3
	case Added:
		return 4
	case Selected:
		return 5
	}
	return 0
}

// width is how many cells its text takes.
func (r row) width() int {
	w := 0
	for _, p := range r.segments {
		w += theme.Width(p.Text)
	}
	return w
}

// draw is the row on a screen of w cells.
func (r row) draw(st theme.Styles, w int) string {
	ground := lipgloss.NewStyle()
	if r.mark == Selected {
		ground = st.Selected
	}
	edge, mark := strings.Repeat(" ", theme.Gutter(w)), ""
	switch {
	case r.glyph != "":
		mark = st.OfGlyph(r.glyph).Render(r.glyph)
	case r.mark == Selected:
		edge = st.Seen.Render("▌") + edge[1:]
	case strength(r.mark) > 0:
		sign, style := signOf(st, r.mark)
		mark = style.Render(sign)
	}
	var b strings.Builder
	b.WriteString(edge + theme.Fit(mark, markCells))
	for _, p := range r.segments {
		style := kindStyle(st, p.Kind)
		if p.Kind == Verdict && r.verdict != "" {
			if style = st.OfGlyph(r.verdict); r.verdict == "○" || r.verdict == "⊘" {
				style = st.Muted
			}
		}
		b.WriteString(style.Render(p.Text))
	}
	if r.aside != "" {
		gap := w - 2*theme.Gutter(w) - markCells - r.width() - theme.Width(r.aside)
		b.WriteString(strings.Repeat(" ", max(0, gap)) + st.Muted.Render(r.aside))
	}
	if r.mark == Selected {
		return theme.Ground(ground, theme.Fit(b.String(), w))
	}
	return b.String()
}

// signOf is what stands left of a text of a kind.
func signOf(st theme.Styles, t Kind) (string, lipgloss.Style) {
	switch t {
	case Sent:
		return sentMark, st.Seen
	case Unsent:
		return unsentMark, st.Faint
	case Marker:
		return markerMark, st.Cut
	case Part:
		return partMark, st.Recalled
	}
	return addedMark, st.OfGlyph(addedMark)
}

// kindStyle is the style of a kind.
func kindStyle(st theme.Styles, t Kind) lipgloss.Style {
	switch t {
	case Unsent, Rest, Quiet, Aside:
		return st.Muted
	case Marker:
		return st.Cut.Bold(true)
	case Added:
		return st.OfGlyph(addedMark).Bold(true)
	case Title, Selected:
		return st.Strong
	case Warning:
		return st.Cut
	}
	return st.Text
}
