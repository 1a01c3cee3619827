package theme

import (
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

// Box is a rectangle of cells, including its frame.
type Box struct{ X, Y, W, H int }

// Empty reports whether the box has no cells.
func (b Box) Empty() bool { return b.W <= 0 || b.H <= 0 }

// Inner returns the box without a frame of one cell, or unchanged if it has none.
func (b Box) Inner(framed bool) Box {
	if !framed {
		return b
	}
	return Box{b.X + 1, b.Y + 1, max(0, b.W-2), max(0, b.H-2)}
}

// Holds reports whether a cell is in the box.
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
	// Some scripts have signs that absorb the next character, even a space.
	if last, _ := utf8.DecodeLastRuneInString(s); last >= 0x600 && Width(padded) < width {
		padded += " "
	}
	return padded
}

// Spread puts left and right at the ends of a line of width cells. If both do not fit, left is cut down to a third of
// the line, then right.
func Spread(left, right string, width int) string {
	rw := Width(right)
	if rw == 0 || width < 4 {
		return Fit(left, width)
	}
	left = markdown.Truncate(left, max(width/3, width-rw-1), "…")
	right = markdown.Truncate(right, max(0, width-Width(left)-1), "…")
	return Fit(left+strings.Repeat(" ", max(0, width-Width(left)-Width(right)))+right, width)
}

// Wrap wraps a text into lines of at most width cells, at words if possible.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	// ansi.Wrap does not count leading spaces before a word that fills the line.
	return strings.Split(ansi.Hardwrap(ansi.Wrap(s, width, ""), width, true), "\n")
}

// WrappedLine is a line of a wrapped text.
type WrappedLine struct {
	Text   string
	Offset int
}

// WrapTrimmed wraps a text like Wrap, but trims the lines and drops empty ones.
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

// WrapStyled wraps a text and styles each line.
func WrapStyled(style lipgloss.Style, text string, w int) []string {
	lines := Wrap(text, max(1, w))
	for i, s := range lines {
		lines[i] = style.Render(s)
	}
	return lines
}

// WrapIndented wraps a text into w cells with a margin on the left.
func WrapIndented(style lipgloss.Style, text string, left, w int) []string {
	return WrapStyled(style.MarginLeft(left), text, w-left)
}

// FitLines returns exactly h lines of w cells: it cuts or pads the lines and their number.
func FitLines(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	copy(out, lines)
	for i, s := range out {
		out[i] = Fit(s, w)
	}
	return out
}

// Overlay draws a block over a screen, in the place of a box. A wide character that an edge would split becomes blank.
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

// Width returns the width of a text in cells.
func Width(s string) int { return ansi.StringWidth(s) }

// WindowAround returns the range of h items of a list of n that has item at in its middle, as far as the ends allow.
func WindowAround(at, n, h int) (first, end int) {
	first = max(0, min(at-h/2, n-h))
	return first, min(n, first+h)
}

// Rule draws a horizontal rule of w cells.
func (st Styles) Rule(w int) string { return st.RuleLine.Render(strings.Repeat("─", max(0, w))) }

// Gutter is the margin in cells on both sides of a screen w cells wide.
func Gutter(w int) int {
	if w < NarrowScreen {
		return 1
	}
	return 2
}

// NarrowScreen is the width in cells below which margins are narrow and texts short.
const NarrowScreen = 90

// RuleWithText draws a rule of w cells with words on its left and a text at its right end, and margin cells of rule
// outside of them. If there is no room, the last words on the left go first, then the text on the right.
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

// StyledSpan is a byte range of a line with a style.
type StyledSpan struct {
	From, To int
	Style    lipgloss.Style
}

// Paint styles the spans of a line, and the rest in the base style. A later span overrides an earlier one. A grapheme
// cluster is styled as a whole.
func Paint(line string, base lipgloss.Style, spans []StyledSpan) string {
	styles, of := []lipgloss.Style{base}, make([]int, len(line)) // index of the style, by byte
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

// WithBackground applies the background and attributes of a style to a line that already has styles.
func WithBackground(ground lipgloss.Style, line string) string {
	const reset = "\x1b[m"
	opens, _, styled := strings.Cut(ground.Render("x"), "x")
	if !styled || opens == "" {
		return line
	}
	return opens + strings.ReplaceAll(line, reset, reset+opens) + reset
}

// MarkSpans turns byte ranges of a text into spans of a line that begins at offset from of the text.
func MarkSpans(marks [][2]int, from int, style lipgloss.Style) (spans []StyledSpan) {
	for _, m := range marks {
		spans = append(spans, StyledSpan{m[0] - from, m[1] - from, style})
	}
	return spans
}
