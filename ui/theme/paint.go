package theme

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// Span is a part of a line, in bytes, with a style of its own.
type Span struct {
	From, To int
	Style    lipgloss.Style
}

// Paint gives the parts of a line their styles, and the rest of it the base style. Of spans that overlap the later one
// counts. A character is never taken apart: it has a style if any part of it has.
func Paint(line string, base lipgloss.Style, spans []Span) string {
	styles, of := []lipgloss.Style{base}, make([]int, len(line)) // by byte: the style
	for i, s := range spans {
		styles = append(styles, s.Style)
		for k := max(0, s.From); k < min(s.To, len(line)); k++ {
			of[k] = i + 1
		}
	}
	var b strings.Builder
	from, style := 0, 0
	for at := 0; at < len(line); {
		cluster, _ := ansi.FirstGraphemeCluster(line[at:], ansi.GraphemeWidth)
		n := max(1, len(cluster))
		if now := slices.Max(of[at : at+n]); now != style {
			b.WriteString(styles[style].Render(line[from:at]))
			from, style = at, now
		}
		at += n
	}
	return b.String() + styles[style].Render(line[from:])
}

// Ground puts the background and the attributes of a style under a line that has styles of its own.
func Ground(ground lipgloss.Style, line string) string {
	const reset = "\x1b[m"
	opens, _, styled := strings.Cut(ground.Render("x"), "x")
	if !styled || opens == "" {
		return line
	}
	return opens + strings.ReplaceAll(line, reset, reset+opens) + reset
}

// Marks are spans of one style in a line: where they begin and end in a text that has the line from a byte on.
func Marks(marks [][2]int, from int, style lipgloss.Style) (spans []Span) {
	for _, m := range marks {
		spans = append(spans, Span{m[0] - from, m[1] - from, style})
	}
	return spans
}
