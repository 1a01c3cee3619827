package ui

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// fit cuts or pads a styled line to exactly width cells.
func fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	have := fitWidth(s)
	if have > width {
		s = ansi.Truncate(s, width, "…")
		have = fitWidth(s)
	}
	padded := s + strings.Repeat(" ", max(0, width-have))
	// Some scripts have signs that take the next character, even a blank, into their own cell.
	if last, _ := utf8.DecodeLastRuneInString(s); last >= 0x600 && fitWidth(padded) < width {
		padded += " "
	}
	return padded
}

// spread puts left and right on one line of width cells. Where both do not fit, left is cut as
// long as it keeps a third of the line, then right is.
func spread(left, right string, width int) string {
	lw, rw := fitWidth(left), fitWidth(right)
	if rw == 0 || width < 4 {
		return fit(left, width)
	}
	if lw+1+rw > width {
		lw = min(lw, max(width/3, width-rw-1))
		left = ansi.Truncate(left, lw, "…")
		lw = fitWidth(left)
		rw = min(rw, max(0, width-lw-1))
		right = ansi.Truncate(right, rw, "…")
		rw = fitWidth(right)
	}
	return fit(left+strings.Repeat(" ", max(0, width-lw-rw))+right, width)
}

// wrap breaks a text into lines of at most width cells, at words where it can.
func wrap(s string, width int) []string {
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

// wrapStyled wraps a text and styles each line by itself.
func wrapStyled(style lipgloss.Style, text string, w int) []string {
	lines := wrap(text, max(1, w))
	for i, s := range lines {
		lines[i] = style.Render(s)
	}
	return lines
}

// indented wraps a text one cell away from both sides.
func indented(style lipgloss.Style, text string, w int) []string {
	lines := wrapStyled(style, text, w-2)
	for i, s := range lines {
		lines[i] = " " + s
	}
	return lines
}

// titled is what stands in the top line of a frame.
type titled struct {
	title string
	right string         // at the right end, may be styled
	line  lipgloss.Style // the frame's style
	name  lipgloss.Style // the title's style
}

// frame draws lines into a box with rounded corners and a title. Lines that are missing are
// blank; lines too many are left out.
func frame(b box, t titled, lines []string) []string {
	if b.w < 2 || b.h < 2 {
		return blank(lines, b.w, b.h)
	}
	in := b.w - 2
	out := make([]string, 0, b.h)
	title, right := t.title, t.right
	if title != "" {
		title = " " + ansi.Truncate(title, max(0, in-4), "…") + " "
	}
	if right != "" {
		right = " " + right + " "
	}
	rule := in - fitWidth(title) - fitWidth(right) - 1
	if rule < 1 {
		right = ""
		rule = in - fitWidth(title) - 1
	}
	if rule < 0 {
		title, rule = "", in-1
	}
	tail := ""
	if right != "" {
		tail = "─"
		rule--
	}
	out = append(out, t.line.Render("╭")+t.name.Render(title)+
		t.line.Render(strings.Repeat("─", max(0, rule+1)))+right+t.line.Render(tail+"╮"))
	side := t.line.Render("│")
	for i := range b.h - 2 {
		s := ""
		if i < len(lines) {
			s = lines[i]
		}
		out = append(out, side+fit(s, in)+side)
	}
	return append(out, t.line.Render("╰"+strings.Repeat("─", in)+"╯"))
}

// blank fits lines into a box without a frame.
func blank(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		s := ""
		if i < len(lines) {
			s = lines[i]
		}
		out[i] = fit(s, w)
	}
	return out
}

// lay draws a block of lines over a screen at a box's place. Where a line is not drawn that far yet,
// it is only continued, which is what most of a frame is.
func lay(screen []string, b box, block []string) {
	for i, s := range block {
		y := b.y + i
		if y < 0 || y >= len(screen) || i >= b.h {
			continue
		}
		under := screen[y]
		width := fitWidth(under)
		if width <= b.x {
			screen[y] = under + strings.Repeat(" ", b.x-width) + s
			continue
		}
		screen[y] = fit(ansi.Cut(under, 0, b.x), b.x) + s
		if end := b.x + b.w; end < width {
			screen[y] += tail(under, width-end)
		}
	}
}

// tail is exactly the last cells of a line. What a border between cells would split is blank.
func tail(s string, width int) string {
	all := fitWidth(s)
	for skip := all - width; ; skip++ {
		cut := ansi.Cut(s, skip, all)
		if have := fitWidth(cut); have <= width || skip >= all {
			return strings.Repeat(" ", max(0, width-have)) + cut
		}
	}
}

// thousands writes 5312 as 5,312.
func thousands(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "−", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// size writes a number of bytes as people do.
func size(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n) + " B"
	case n < 1_000_000:
		return strconv.FormatFloat(float64(n)/1000, 'f', 1, 64) + " kB"
	}
	return strconv.FormatFloat(float64(n)/1_000_000, 'f', 1, 64) + " MB"
}

// plural writes "1 line" and "2 lines".
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(n) + " " + thing + "s"
}

// lasted writes a duration of a turn: 1.9 s, 42 s, 3 m 05 s.
func lasted(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.Itoa(int(d.Seconds())) + " s"
	}
	s := int(d.Seconds())
	rest := strconv.Itoa(s % 60)
	if len(rest) == 1 {
		rest = "0" + rest
	}
	return strconv.Itoa(s/60) + " m " + rest + " s"
}

// age writes how long ago something was, in one short word.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d.Hours())) + " h"
	case d < 60*24*time.Hour:
		return strconv.Itoa(int(d.Hours()/24)) + " d"
	}
	return strconv.Itoa(int(d.Hours()/24/30)) + " mo"
}

// fitWidth is the width of a text in cells. A frame measures each of its lines several times, and most of
// what they hold is plain ASCII in colours, which takes a cell a byte.
func fitWidth(s string) int {
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
