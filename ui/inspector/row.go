package inspector

import (
	"strings"

	"charm.land/lipgloss/v2"

	"winnow/ui/markdown"
	"winnow/ui/theme"
)

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
	g := theme.Gutter(w)
	edge := strings.Repeat(" ", g)
	if chosen {
		edge = st.Seen.Render("▌") + edge[1:]
	}
	line := edge + theme.Fit(r.markStyle(st).Render(r.mark), markCells)
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

// markStyle is the style of what stands left of the text.
func (r row) markStyle(st theme.Styles) lipgloss.Style {
	if r.mark == marks[Unsent] {
		return st.Faint
	}
	return st.OfGlyph(r.mark)
}

// style is the style of a kind of text in the row.
func (r row) style(st theme.Styles, k Kind) lipgloss.Style {
	switch k {
	case Verdict:
		if r.mark != "○" && r.mark != "⊘" {
			return st.OfGlyph(r.mark)
		}
		return st.Muted
	case Unsent, Quiet:
		return st.Muted
	case Marker:
		return st.Cut.Bold(true)
	case Added:
		return st.OfGlyph(addedMark).Bold(true)
	case Title:
		return st.Strong
	case Warning:
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
