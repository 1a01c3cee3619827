// Package markdown turns text that others wrote (a model, a tool, a file name, a paste) into
// lines for a terminal. It makes every control sequence visible before anything else, so that no
// text is ever executed by the terminal, and lays out what goldmark and chroma read. It does not
// scroll, cache by message or know what a message is.
package markdown

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// tabWidth is the distance of tab stops in cells, counted from the start of the line.
const tabWidth = 4

// Visible returns s with everything that a terminal could act on, or that could hide text from
// the reader, turned into text that says what was there: ESC becomes ␛, a carriage return that
// does not end a line ␍, a bidirectional override <U+202E>. Tabs become spaces up to the next
// stop, CR LF becomes LF and invalid UTF-8 becomes U+FFFD. Newlines stay. Soft hyphens go, and
// so does a byte order mark at the start of a line: they say nothing and hide nothing.
//
// Visible is idempotent, and each line is treated by itself: cutting s after a newline, making
// the pieces visible and joining them gives the same text. Clean text is returned as it is.
func Visible(s string) string {
	i := firstUnsafe(s)
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	lineStart := strings.LastIndexByte(s[:i], '\n') + 1
	b.WriteString(s[:i])
	col, mark := 0, lineStart // the cells of the current line before mark, an index into the result
	var prev rune             // the character before, as read: a joiner is judged by its neighbours
	if i > 0 {
		prev, _ = utf8.DecodeLastRuneInString(s[:i])
	}
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		next := i + n
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteRune(utf8.RuneError)
		case r == '\n':
			b.WriteByte('\n')
			col, mark = 0, b.Len()
		case r == '\t':
			// Counted piece by piece: a line of nothing but tabs must not cost its square.
			col += ansi.StringWidth(b.String()[mark:])
			b.WriteString("    "[:tabWidth-col%tabWidth])
			col += tabWidth - col%tabWidth
			mark = b.Len()
		case r == '\r' && next < len(s) && s[next] == '\n':
			// The newline that follows says it.
		case joins(r):
			following, _ := utf8.DecodeRuneInString(s[next:])
			if joinable(prev) && joinable(following) {
				b.WriteRune(r)
			} else {
				writeVisible(&b, r)
			}
		case r == softHyphen:
		case r == byteOrderMark && (i == 0 || s[i-1] == '\n'):
		case prev == blackFlag && flagTags(s[i:]) > 0:
			next = i + flagTags(s[i:])
			b.WriteString(s[i:next])
			r = cancelTag
		case unsafe(r):
			writeVisible(&b, r)
		default:
			b.WriteString(s[i:next])
		}
		prev = r
		i = next
	}
	return b.String()
}

// OneLine returns s as one line of at most width cells: visible, with every run of white space
// as one space, and cut with an ellipsis. It is meant for titles, file names and status lines.
func OneLine(s string, width int) string {
	if width <= 0 {
		return ""
	}
	// More than this cannot be seen; a title may be a pasted megabyte.
	limit := min(64*width+256, len(s))
	if line, ok := asciiLine(s[:limit], width); ok {
		return line
	}
	if limit < len(s) {
		s = strings.ToValidUTF8(s[:limit], "")
	}
	return Truncate(strings.Join(strings.Fields(Visible(s)), " "), width, "…")
}

// asciiLine is OneLine for a text that is plain ASCII as far as it is seen, which is most of what a list
// shows, at every frame. It reads no further than that.
func asciiLine(s string, width int) (string, bool) {
	line := make([]byte, 0, min(len(s), width+1))
	blank := false // white space follows the line
	for i := 0; i < len(s) && len(line) <= width; i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\n':
			blank = len(line) > 0
			continue
		case c < ' ' || c >= 0x7f:
			return "", false
		case blank:
			line, blank = append(line, ' '), false
		}
		line = append(line, s[i])
	}
	if len(line) > width {
		return string(line[:width-1]) + "…", true
	}
	return string(line), true
}

// firstUnsafe returns the index of the first byte of s that Visible must look at, len(s) for none.
func firstUnsafe(s string) int {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' || c == 0x7f {
				return i
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || unsafe(r) || joins(r) {
			return i
		}
		i += n
	}
	return len(s)
}

// unsafe tells whether a terminal may act on r, or r may hide or reorder the text around it.
// The variation selectors U+FE0E and U+FE0F are safe: they only choose how an emoji is drawn.
func unsafe(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n'
	case r < 0x7f:
		return false
	case r <= 0x9f:
		return true // DEL and the C1 controls, among them the 8-bit CSI and OSC
	}
	switch {
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5,
		r >= 0x180b && r <= 0x180f, // Mongolian selectors and vowel separator
		r == 0x200b,                // zero width space
		r == 0x200e || r == 0x200f, // left-to-right and right-to-left marks
		r >= 0x2028 && r <= 0x202e, // line and paragraph separators, embeddings, overrides
		r >= 0x2060 && r <= 0x206f, // word joiner, invisible operators, isolates, deprecated controls
		r == 0x3164, r == 0xfeff,   // Hangul filler, byte order mark
		r >= 0xfe00 && r <= 0xfe0d,   // selectors that hide data and draw nothing
		r == 0xffa0,                  // halfwidth Hangul filler
		r >= 0xfff0 && r <= 0xfffb,   // unassigned invisible ones and interlinear annotation
		r >= 0x1bca0 && r <= 0x1bca3, // shorthand format controls
		r >= 0x1d173 && r <= 0x1d17a, // musical format controls
		r >= 0xe0000 && r <= 0xe0fff: // tags and further selectors: whole hidden texts
		return true
	}
	return false
}

// Characters with a rule of their own.
const (
	softHyphen    = 0xad
	byteOrderMark = 0xfeff
	blackFlag     = 0x1f3f4
	cancelTag     = 0xe007f
)

// maxTags is the longest name of a region that a flag spells in tags: gbsct. A longer run of
// tags would be a hidden text.
const maxTags = 6

// tag tells whether r is one of the letters and digits that spell the region of a flag.
func tag(r rune) bool {
	return r >= 0xe0030 && r <= 0xe0039 || r >= 0xe0061 && r <= 0xe007a || r == cancelTag
}

// flagTags returns the length of the tags that s begins with, which make a flag of the black
// flag before them: a few letters and the tag that ends them. It returns 0 for anything else.
func flagTags(s string) int {
	at := 0
	for count := 0; count <= maxTags; count++ {
		r, n := utf8.DecodeRuneInString(s[at:])
		if !tag(r) {
			return 0
		}
		at += n
		if r == cancelTag {
			if count == 0 {
				return 0
			}
			return at
		}
	}
	return 0
}

// joins tells whether r is a zero-width joiner or non-joiner, which some words and emoji need.
func joins(r rune) bool { return r == 0x200c || r == 0x200d }

// joinable tells whether a joiner beside r has a use: in an emoji sequence, or in a script that shapes
// its letters. Latin, digits and CJK have none for it.
func joinable(r rune) bool {
	switch {
	case r >= 0x600 && r <= 0x8ff, // Arabic, Syriac, Thaana, N'Ko and their like
		r >= 0x900 && r <= 0x109f,    // the Indic scripts, Thai, Tibetan, Myanmar
		r >= 0x1780 && r <= 0x18af,   // Khmer, Mongolian
		r >= 0xfb50 && r <= 0xfdff,   // Arabic presentation forms
		r >= 0xfe70 && r <= 0xfefc,   // Arabic presentation forms
		r == 0xfe0f,                  // the selector that ends an emoji
		r >= 0x2190 && r <= 0x2bff,   // arrows, signs and dingbats that are emoji
		r >= 0x1f000 && r <= 0x1faff: // emoji, and the skin tones that end one
		return !unsafe(r)
	}
	return false
}

// writeVisible writes the name of a control character: the Unicode picture where there is one.
func writeVisible(b *strings.Builder, r rune) {
	switch {
	case r < ' ':
		b.WriteRune(0x2400 + r)
	case r == 0x7f:
		b.WriteRune(0x2421)
	default:
		fmt.Fprintf(b, "<U+%04X>", r)
	}
}

// Truncate is a text in at most width cells, with tail at its end where it was cut. It differs from the library's in
// digits that are emoji, 1️⃣, which the library counts as one cell there and as two everywhere else.
func Truncate(s string, width int, tail string) string {
	out := ansi.Truncate(s, width, tail)
	for n := width - 1; n >= 0 && ansi.StringWidth(out) > width; n-- {
		out = ansi.Truncate(s, n, tail)
	}
	return out
}
