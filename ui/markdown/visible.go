package markdown

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// tabWidth is the distance of tab stops in cells.
const tabWidth = 4

// Visible returns s with everything that a terminal could act on, or that could hide text from the reader, replaced by
// visible text: ESC becomes ␛, a carriage return that does not end a line ␍, a bidirectional override <U+202E>. Tabs
// become spaces up to the next tab stop, CR LF becomes LF, and invalid UTF-8 becomes U+FFFD. Newlines stay. Soft
// hyphens are removed, and so is a byte order mark at the start of a line, because they are invisible and harmless.
//
// Visible is idempotent and treats each line by itself: splitting s after a newline, making the parts visible and
// joining them gives the same text. Clean text is returned unchanged.
func Visible(s string) string {
	if !strings.ContainsFunc(s, unsafe) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	col, mark := 0, 0 // the column at mark, an index into the result
	prev := '\n'
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		switch {
		case r == '\t':
			// Measured piece by piece, so that a line of tabs does not take quadratic time.
			col = (col + ansi.StringWidth(b.String()[mark:])) % tabWidth
			b.WriteString("    "[:tabWidth-col])
			col, mark = 0, b.Len()
		case r == '\r' && next == '\n', r == softHyphen, r == byteOrderMark && prev == '\n':
		case joins(r) && joinable(prev) && joinable(next):
			b.WriteRune(r)
		case prev == blackFlag && flagTags.MatchString(s[i:]):
			n = len(flagTags.FindString(s[i:]))
			b.WriteString(s[i : i+n])
		case r < ' ' && r != '\n':
			b.WriteRune(0x2400 + r)
		case r == 0x7f:
			b.WriteRune('␡')
		case unsafe(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		if prev = r; r == '\n' {
			col, mark = 0, b.Len()
		}
	}
	return b.String()
}

// OneLine returns s as one line of at most width cells: visible, with every run of white space as one space, and
// truncated with an ellipsis. It is meant for titles, file names and status lines.
func OneLine(s string, width int) string {
	// The rest would not fit; a title may be a pasted megabyte.
	s = s[:min(len(s), 64*max(0, width)+256)]
	return Truncate(strings.Join(strings.Fields(Visible(s)), " "), width, "…")
}

// unsafe reports whether a terminal may act on r, or r may hide or reorder the text around it: control and format
// characters, separators, fillers, selectors and tags. The variation selectors U+FE0E and U+FE0F are safe, because they
// only choose how an emoji is drawn. So are visible format characters such as Arabic number signs.
func unsafe(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' ' && r != '\n'
	case r > 0x3164 && r < 0xfe00, r == 0xfe0e, r == 0xfe0f, unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // a shortcut for Chinese, Japanese and Korean
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point)
}

// Characters with special rules.
const (
	softHyphen    = 0xad
	byteOrderMark = 0xfeff
	blackFlag     = 0x1f3f4
)

// flagTags matches the tags that turn the black flag before them into the flag of a region: a few letters or digits,
// and the end tag. A longer run of tags could hide text.
var flagTags = regexp.MustCompile(`^[\x{e0030}-\x{e0039}\x{e0061}-\x{e007a}]{1,6}\x{e007f}`)

// isTag reports whether r may be one of the tags of a flag.
func isTag(r rune) bool { return r >= 0xe0030 && r <= 0xe007f }

// joins reports whether r is a zero-width joiner or non-joiner, which some words and emoji need.
func joins(r rune) bool { return r == 0x200c || r == 0x200d }

// joinable reports whether a joiner beside r is legitimate: in an emoji sequence, or in a script that shapes its
// letters, such as Arabic and the Indic scripts. Latin, digits and Chinese do not need one.
func joinable(r rune) bool {
	shapes := r >= 0x600 && r < 0x10a0 || r >= 0x1780 && r < 0x18b0 || r >= 0xfb50 && r < 0xfefd
	emoji := r >= 0x2190 && r < 0x2c00 || r >= 0x1f000 && r < 0x1fb00
	return (shapes || emoji) && (r == 0xfe0f || !unsafe(r))
}

// Truncate returns a styled text in at most width cells, with tail at its end if it was cut. Unlike ansi.Truncate it is
// right for keycap emoji such as 1️⃣, which ansi.Truncate counts as one cell and every other function as two.
func Truncate(s string, width int, tail string) string {
	out := ansi.Truncate(s, width, tail)
	for n := width - 1; n >= 0 && ansi.StringWidth(out) > width; n-- {
		out = ansi.Truncate(s, n, tail)
	}
	return out
}
