package theme

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Box is a rectangle of the screen in cells, its frame included.
type Box struct{ X, Y, W, H int }

// Empty says that nothing can be drawn in the box.
func (b Box) Empty() bool { return b.W <= 0 || b.H <= 0 }

// Inner is the box without its frame of one cell.
func (b Box) Inner(framed bool) Box {
	if !framed {
		return b
	}
	return Box{b.X + 1, b.Y + 1, max(0, b.W-2), max(0, b.H-2)}
}

// Holds says whether a cell lies in the box.
func (b Box) Holds(x, y int) bool {
	return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H
}

// Fit cuts or pads a styled line to exactly width cells.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	have := Width(s)
	if have > width {
		s = markdown.Truncate(s, width, "…")
		have = Width(s)
	}
	padded := s + strings.Repeat(" ", max(0, width-have))
	// Some scripts have signs that take the next character, even a blank, into their own cell.
	if last, _ := utf8.DecodeLastRuneInString(s); last >= 0x600 && Width(padded) < width {
		padded += " "
	}
	return padded
}

// Spread puts left and right on one line of width cells. Where both do not fit, left is cut as
// long as it keeps a third of the line, then right is.
func Spread(left, right string, width int) string {
	rw := Width(right)
	if rw == 0 || width < 4 {
		return Fit(left, width)
	}
	left = markdown.Truncate(left, max(width/3, width-rw-1), "…")
	right = markdown.Truncate(right, max(0, width-Width(left)-1), "…")
	return Fit(left+strings.Repeat(" ", max(0, width-Width(left)-Width(right)))+right, width)
}

// Wrap breaks a text into lines of at most width cells, at words where it can.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	// ansi.Wrap does not count the blanks at the beginning of a line before a word as long as the line.
	return strings.Split(ansi.Hardwrap(ansi.Wrap(s, width, ""), width, true), "\n")
}

// WrappedLine is a line of a wrapped text, and the byte of the text at which it begins.
type WrappedLine struct {
	Text   string
	Offset int
}

// WrapTrimmed wraps a text as Wrap does, without blanks at the ends of the lines and without empty lines.
func WrapTrimmed(s string, width int) []WrappedLine {
	var parts []WrappedLine
	from := 0
	for _, line := range Wrap(s, width) {
		if line = strings.TrimSpace(line); line != "" {
			from += max(0, strings.Index(s[from:], line))
			parts = append(parts, WrappedLine{line, from})
			from += len(line)
		}
	}
	return parts
}

// WrapStyled wraps a text and styles each line by itself.
func WrapStyled(style lipgloss.Style, text string, w int) []string {
	lines := Wrap(text, max(1, w))
	for i, s := range lines {
		lines[i] = style.Render(s)
	}
	return lines
}

// WrapIndented wraps a text into w cells, each line as far from the left.
func WrapIndented(style lipgloss.Style, text string, left, w int) []string {
	return WrapStyled(style.MarginLeft(left), text, w-left)
}

// FitLines fits lines into a box.
func FitLines(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	copy(out, lines)
	for i, s := range out {
		out[i] = Fit(s, w)
	}
	return out
}

// Overlay draws a block of lines over a screen at a box's place. What a border between cells would split is blank.
func Overlay(screen []string, b Box, block []string) {
	end := b.X + b.W
	for i, s := range block[:min(len(block), b.H)] {
		y := b.Y + i
		if y < 0 || y >= len(screen) {
			continue
		}
		under := screen[y]
		screen[y] = Fit(ansi.Truncate(under, b.X, ""), b.X) + s
		if left := Width(under) - end; left > 0 {
			rest := under
			for skip := end; Width(rest) > left; skip++ {
				rest = ansi.TruncateLeft(under, skip, "")
			}
			screen[y] += lipgloss.PlaceHorizontal(left, lipgloss.Right, rest)
		}
	}
}

// Width is the width of a text in cells.
func Width(s string) int { return ansi.StringWidth(s) }

// WindowAround is the part of a list of n lines that h lines of the screen show: the line at is in the middle
// of it, as far as the ends of the list let it.
func WindowAround(at, n, h int) (first, end int) {
	first = max(0, min(at-h/2, n-h))
	return first, min(n, first+h)
}

// Rule is the line between a list and the lines above or below it.
func (st Styles) Rule(w int) string { return st.RuleLine.Render(strings.Repeat("─", max(0, w))) }

// Gutter is how many cells of a screen of w cells stay free at both of its sides, but for marks.
func Gutter(w int) int {
	if w < NarrowScreen {
		return 1
	}
	return 2
}

// NarrowScreen is the width below which the gutter is narrow, and what can be said shorter is.
const NarrowScreen = 90

// RuleWithText is a rule of w cells with words on its left and at its right end, so many cells of it at either side of them.
// Of the words on the left the last ones give way first, then those at the right.
func RuleWithText(line lipgloss.Style, w, margin int, left []string, right string) string {
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

// StyledSpan is a part of a line, in bytes, with a style of its own.
type StyledSpan struct {
	From, To int
	Style    lipgloss.Style
}

// Paint gives the parts of a line their styles, and the rest of it the base style. Of spans that overlap the later one
// counts. A character is never taken apart: it has a style if any part of it has.
func Paint(line string, base lipgloss.Style, spans []StyledSpan) string {
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

// WithBackground puts the background and the attributes of a style under a line that has styles of its own.
func WithBackground(ground lipgloss.Style, line string) string {
	const reset = "\x1b[m"
	opens, _, styled := strings.Cut(ground.Render("x"), "x")
	if !styled || opens == "" {
		return line
	}
	return opens + strings.ReplaceAll(line, reset, reset+opens) + reset
}

// MarkSpans are spans of one style in a line: where they begin and end in a text that has the line from a byte on.
func MarkSpans(marks [][2]int, from int, style lipgloss.Style) (spans []StyledSpan) {
	for _, m := range marks {
		spans = append(spans, StyledSpan{m[0] - from, m[1] - from, style})
	}
	return spans
}
