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
		n := ClusterLen(line[at:])
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

// HitSpans mark the letters that a filter found, of which the screen shows those in the first bytes.
func HitSpans(hits []int, shown int, style lipgloss.Style) (spans []Span) {
	for _, at := range hits {
		if at < shown {
			spans = append(spans, Span{at, at + 1, style})
		}
	}
	return spans
}

// ClusterLen returns how many bytes the first character of a text takes, combining characters included.
func ClusterLen(s string) int {
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster))
}
