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
	return WrapStyled(style.MarginLeft(left), text, w-left)
}

// Blank fits lines into a box.
func Blank(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	copy(out, lines)
	for i, s := range out {
		out[i] = Fit(s, w)
	}
	return out
}

// Lay draws a block of lines over a screen at a box's place. What a border between cells would split is blank.
func Lay(screen []string, b Box, block []string) {
	end := b.X + b.W
	for i, s := range block[:min(len(block), b.H)] {
		y := b.Y + i
		if y < 0 || y >= len(screen) {
			continue
		}
		under := screen[y]
		rest := ansi.TruncateLeft(under, end, "")
		if Width(rest) > Width(under)-end { // half a character
			rest = ansi.TruncateLeft(under, end+1, "")
		}
		screen[y] = Fit(ansi.Truncate(under, b.X, ""), b.X) + s +
			lipgloss.PlaceHorizontal(Width(under)-end, lipgloss.Right, rest)
	}
}

// Width is the width of a text in cells.
func Width(s string) int { return ansi.StringWidth(s) }
