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

// Paint gives the parts of a line their styles, and the rest of it the base style. Of spans that
// overlap the later one counts. A character is never taken apart: it has the style of its first byte.
func Paint(line string, base lipgloss.Style, spans []Span) string {
	if len(spans) == 0 {
		return base.Render(line)
	}
	of := make([]int, len(line)) // by byte: the span, from 1
	for i, s := range spans {
		for k := max(0, s.From); k < min(s.To, len(line)); k++ {
			of[k] = i + 1
		}
	}
	var b strings.Builder
	for from := 0; from < len(line); {
		to := from + ClusterLen(line[from:])
		for to < len(line) && of[to] == of[from] {
			to += ClusterLen(line[to:])
		}
		style := base
		if n := of[from]; n > 0 {
			style = spans[n-1].Style
		}
		b.WriteString(style.Render(line[from:to]))
		from = to
	}
	return b.String()
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

// HitSpans mark the letters of a label that a filter found. The label begins at byte at of its line, whose first
// shown bytes are on the screen.
func HitSpans(label string, at, shown int, hits []int, style lipgloss.Style) []Span {
	var spans []Span
	for i := 0; i < len(label) && len(hits) > 0; {
		n := ClusterLen(label[i:])
		covered, _ := slices.BinarySearch(hits, i+n)
		if covered > 0 && at+i+n <= shown {
			spans = append(spans, Span{at + i, at + i + n, style})
		}
		hits = hits[covered:]
		i += n
	}
	return spans
}

// SharedPrefix is how many bytes two texts have in common at their beginning.
func SharedPrefix(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// ClusterLen returns how many bytes the first character of a text takes, combining characters included.
func ClusterLen(s string) int {
	cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return max(1, len(cluster))
}
