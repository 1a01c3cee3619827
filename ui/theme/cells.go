package theme

import (
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"winnow/ui/markdown"
)

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
	lw, rw := Width(left), Width(right)
	if rw == 0 || width < 4 {
		return Fit(left, width)
	}
	if lw+1+rw > width {
		lw = min(lw, max(width/3, width-rw-1))
		left = markdown.Truncate(left, lw, "…")
		lw = Width(left)
		rw = min(rw, max(0, width-lw-1))
		right = markdown.Truncate(right, rw, "…")
		rw = Width(right)
	}
	return Fit(left+strings.Repeat(" ", max(0, width-lw-rw))+right, width)
}

// Wrap breaks a text into lines of at most width cells, at words where it can.
func Wrap(s string, width int) []string {
	if width <= 0 {
		return nil
	}
	var lines []string
	for _, line := range strings.Split(ansi.Wrap(s, width, ""), "\n") {
		if ansi.StringWidth(line) <= width {
			lines = append(lines, line)
			continue
		}
		// Wrap does not count the blanks at the beginning of a line before a word as long as the line.
		lines = append(lines, strings.Split(ansi.Hardwrap(line, width, true), "\n")...)
	}
	return lines
}

// Part is a line of a wrapped text, and the byte of the text at which it begins.
type Part struct {
	Text string
	From int
}

// Parts wraps a text as Wrap does, without blanks at the ends of the lines and without empty lines.
func Parts(s string, width int) []Part {
	var parts []Part
	from := 0
	for _, line := range Wrap(s, width) {
		if line = strings.TrimSpace(line); line != "" {
			from += max(0, strings.Index(s[from:], line))
			parts = append(parts, Part{line, from})
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

// IndentedTo wraps a text into w cells, each line as far from the left.
func IndentedTo(style lipgloss.Style, text string, left, w int) []string {
	lines := WrapStyled(style, text, w-left)
	for i, s := range lines {
		lines[i] = strings.Repeat(" ", left) + s
	}
	return lines
}

// Blank fits lines into a box.
func Blank(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		s := ""
		if i < len(lines) {
			s = lines[i]
		}
		out[i] = Fit(s, w)
	}
	return out
}

// Lay draws a block of lines over a screen at a box's place. Where a line is not drawn that far yet,
// it is only continued, which is what most of a frame is.
func Lay(screen []string, b Box, block []string) {
	for i, s := range block {
		y := b.Y + i
		if y < 0 || y >= len(screen) || i >= b.H {
			continue
		}
		under := screen[y]
		width := Width(under)
		if width <= b.X {
			screen[y] = under + strings.Repeat(" ", b.X-width) + s
			continue
		}
		screen[y] = Fit(ansi.Cut(under, 0, b.X), b.X) + s
		if end := b.X + b.W; end < width {
			screen[y] += tail(under, width-end)
		}
	}
}

// tail is exactly the last cells of a line. What a border between cells would split is blank.
func tail(s string, width int) string {
	all := Width(s)
	for skip := all - width; ; skip++ {
		cut := ansi.Cut(s, skip, all)
		if have := Width(cut); have <= width || skip >= all {
			return strings.Repeat(" ", max(0, width-have)) + cut
		}
	}
}

// Width is the width of a text in cells. A frame measures each of its lines several times, and most of
// what they hold is plain ASCII in colours, which takes a cell a byte.
func Width(s string) int {
	width := 0
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\x1b' && colour(s[i:]) > 0:
			i += colour(s[i:])
		case c < ' ' || c == 0x7f || noText(s[i:]):
			return width + ansi.StringWidth(s[i:])
		case c < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf):
			width++
			i++
		default: // What follows a character may belong to it.
			cluster, n := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
			width += n
			i += len(cluster)
		}
	}
	return width
}

// noText says that a text begins with a byte that is none.
func noText(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return r == utf8.RuneError && n == 1
}

// colour is the length of a sequence that sets colours at the beginning of a text, 0 for none.
func colour(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := len("\x1b["); i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}
