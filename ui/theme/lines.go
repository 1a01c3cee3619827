package theme

import (
	"strings"

	"winnow/ui/markdown"
)

// maxReason is the most lines of a reason below a list.
const maxReason = 3

// Around is the part of a list of n lines that h lines of the screen show: the line at is in the middle
// of it, as far as the ends of the list let it.
func Around(at, n, h int) (first, end int) {
	first = max(0, min(at-h/2, n-h))
	return first, min(n, first+h)
}

// OneOf says which line of a list of n lines the cursor is on, counted from 0: "3/10", "" for an empty list.
func OneOf(at, n int) string {
	if n == 0 {
		return ""
	}
	return Thousands(at+1) + "/" + Thousands(n)
}

// Rule is the line between a list and the lines above or below it.
func (st Styles) Rule(w int) string { return st.Faint.Render(strings.Repeat("─", max(0, w))) }

// Reason is a sentence below a list about the line under its cursor.
func (st Styles) Reason(text string, w int) []string {
	lines := Indented(st.Text, markdown.Visible(text), w)
	return append([]string{st.Rule(w)}, lines[:min(maxReason, len(lines))]...)
}

// VerdictLine is a line of a list that begins with the glyph of a verdict, then a name, a text in dim, and
// a text at its right end.
func (st Styles) VerdictLine(glyph, name, text, end string, w int, chosen bool) string {
	if chosen {
		return st.Selected.Render(Spread(" "+glyph+name+text, end, w))
	}
	return Spread(" "+st.OfGlyph(glyph).Render(glyph)+name+st.Muted.Render(text), st.Muted.Render(end), w)
}
