package ui

import (
	"strings"

	"winnow/ui/markdown"
)

// mostReason is the most lines of a reason below a list.
const mostReason = 3

// around is the part of a list of n lines that h lines of the screen show: the line at is in the middle
// of it, as far as the ends of the list let it.
func around(at, n, h int) (first, end int) {
	first = max(0, min(at-h/2, n-h))
	return first, min(n, first+h)
}

// rule is a line that parts a list from what stands above or below it.
func (st styles) rule(w int) string { return st.frame.Render(strings.Repeat("─", max(0, w))) }

// reason is a sentence below a list about the line under its cursor.
func (st styles) reason(text string, w int) []string {
	lines := indented(st.text, markdown.Visible(text), w)
	return append([]string{st.rule(w)}, lines[:min(mostReason, len(lines))]...)
}

// verdictLine is a line of a list that begins with the glyph of a verdict: what it is about, what is told
// of that, and what stands at its end.
func (st styles) verdictLine(glyph, about, told, end string, w int, chosen bool) string {
	if chosen {
		return st.chosen.Render(spread(" "+glyph+about+told, end, w))
	}
	return spread(" "+st.ofGlyph(glyph).Render(glyph)+about+st.dim.Render(told), st.dim.Render(end), w)
}
