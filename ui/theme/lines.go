package theme

import (
	"strings"

	"charm.land/lipgloss/v2"
)

// Around is the part of a list of n lines that h lines of the screen show: the line at is in the middle
// of it, as far as the ends of the list let it.
func Around(at, n, h int) (first, end int) {
	first = max(0, min(at-h/2, n-h))
	return first, min(n, first+h)
}

// Rule is the line between a list and the lines above or below it.
func (st Styles) Rule(w int) string { return st.Lines.Render(strings.Repeat("─", max(0, w))) }

// Gutter is how many cells of a screen of w cells stay free at both of its sides, but for marks.
func Gutter(w int) int {
	if w < NarrowScreen {
		return 1
	}
	return 2
}

// NarrowScreen is the width below which the gutter is narrow, and what can be said shorter is.
const NarrowScreen = 90

// Ruled is a rule of w cells with words on its left and at its right end, so many cells of it at either side of them.
// Of the words on the left the last ones give way first, then those at the right.
func Ruled(line lipgloss.Style, w, margin int, left []string, right string) string {
	rule := func(w int) string { return line.Render(strings.Repeat("─", max(0, w))) }
	for {
		words, end := strings.Join(left, "  "), ""
		if right != "" {
			end = " " + right + " "
		}
		switch fill := w - 2*margin - len("  ") - Width(words) - Width(end); {
		case fill >= 0:
			return rule(margin) + " " + words + " " + rule(fill) + end + rule(margin)
		case len(left) > 1:
			left = left[:len(left)-1]
		case right != "":
			right = ""
		default:
			return rule(w)
		}
	}
}
