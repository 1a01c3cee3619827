package inspector

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

// row is one row of a pager on the screen: segments that are safe to draw.
type row struct {
	segments []Segment
	mark     Kind   // of what is drawn left of the text
	glyph    string // the glyph of the line's verdict, drawn there instead
	aside    string // at the right end
}

// markCells is the glyph or bar left of a text, and the blank after it.
const markCells = 2

// addedMark stands left of a text that winnow has added.
const addedMark = "✚"

// marks are what stands left of a text of a kind. That of a selected heading is left of its ground.
var marks = map[Kind]string{Sent: "▌", Unsent: "┊", Marker: "◐", Part: "↺", Added: addedMark, Selected: "▌"}

// textWidth is how many cells a text has on a screen of w cells.
func textWidth(w int) int { return max(1, w-2*theme.Gutter(w)-markCells) }

// inset is what stands left of a text without a mark on a screen of w cells.
func inset(w int) string { return strings.Repeat(" ", theme.Gutter(w)+markCells) }

// measure is the most cells of a line of prose.
const measure = 92

// rowsOf lays a line out: w cells for its text, and right cells where something stands at its right end. What is sent,
// what is not, and the marker between them have rows of their own.
func rowsOf(line []Segment, w, right int) []row {
	var rows []row
	var chunk Page
	glyph, aside := "", ""
	flush := func() {
		rows = append(rows, aligned(wrap(chunk, w), aside, right)...)
		chunk, aside = nil, ""
	}
	for _, p := range line {
		text := markdown.Visible(strings.TrimRight(p.Text, "\r\n"))
		switch p.Kind {
		case Glyph:
			glyph = strings.TrimSpace(text)
			continue
		case Aside:
			aside = strings.TrimSpace(text)
			continue
		}
		if n := len(chunk); text != "" && n > 0 && (aside != "" || apart(chunk[n-1].Kind, p.Kind)) {
			flush()
			text = strings.TrimPrefix(text, " ") // as where a line is wrapped at a blank
		}
		chunk.Add(p.Kind, text)
	}
	flush()
	if n := len(line); n > 0 && len(rows[0].segments) == 0 && ofMessage(line[n-1].Kind) {
		rows[0].mark = line[n-1].Kind
	}
	for i := range rows {
		rows[i].glyph = glyph
	}
	return rows
}

// aligned is rows with an aside at the right end of the first, or below the last where there is no room for it.
func aligned(rows []row, aside string, right int) []row {
	if aside != "" && rows[0].width()+2+theme.Width(aside) > right {
		return append(rows, wrap([]Segment{{Quiet, aside}}, right)...)
	}
	rows[0].aside = aside
	return rows
}

// apart says that two kinds do not share a row.
func apart(a, b Kind) bool {
	return a != b && (a == Unsent || b == Unsent || a == Marker || b == Marker)
}

// wrap breaks segments into rows of at most w cells.
func wrap(segments []Segment, w int) (rows []row) {
	text, at := Page(segments).text(), 0
	for _, line := range theme.Wrap(text, w) {
		at += strings.Index(text[at:], line) // blanks at which it was broken are left out
		rows = append(rows, rowOf(between(segments, at, at+len(line))))
		at += len(line)
	}
	return rows
}

// between is a part of the text of segments, in bytes.
func between(segments []Segment, from, to int) (part Page) {
	for _, p := range segments {
		if from < len(p.Text) && to > 0 {
			part.Add(p.Kind, p.Text[max(0, from):min(len(p.Text), to)])
		}
		from, to = from-len(p.Text), to-len(p.Text)
	}
	return part
}

// rowOf is a row of segments. Of those that have a mark the last kind decides it.
func rowOf(segments []Segment) row {
	r := row{segments: segments}
	for _, p := range segments {
		r.mark = max(r.mark, p.Kind)
	}
	return r
}

// width is how many cells its text takes.
func (r row) width() int { return theme.Width(Page(r.segments).text()) }

// draw is the row on a screen of w cells.
func (r row) draw(st theme.Styles, w int) string {
	edge, mark := strings.Repeat(" ", theme.Gutter(w)), marks[r.mark]
	markStyle := st.OfGlyph(mark)
	switch {
	case r.glyph != "":
		mark, markStyle = r.glyph, st.OfGlyph(r.glyph)
	case r.mark == Selected:
		edge, mark = st.Seen.Render(mark)+edge[1:], ""
	case r.mark == Unsent:
		markStyle = st.Faint
	}
	var b strings.Builder
	b.WriteString(edge + theme.Fit(markStyle.Render(mark), markCells))
	for _, p := range r.segments {
		style := kindStyle(st, p.Kind)
		if p.Kind == Verdict && r.glyph != "○" && r.glyph != "⊘" {
			style = st.OfGlyph(r.glyph)
		}
		b.WriteString(style.Render(p.Text))
	}
	if r.aside != "" {
		gap := w - 2*theme.Gutter(w) - markCells - r.width() - theme.Width(r.aside)
		b.WriteString(strings.Repeat(" ", max(0, gap)) + st.Muted.Render(r.aside))
	}
	if r.mark == Selected {
		return theme.Ground(st.Selected, theme.Fit(b.String(), w))
	}
	return b.String()
}

// kindStyle is the style of a kind.
func kindStyle(st theme.Styles, t Kind) lipgloss.Style {
	switch t {
	case Unsent, Rest, Quiet, Verdict:
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
