// Package cells knows how many cells of the screen the terminal takes for a character of several code
// points: an emoji of several people, a flag, a letter with its vowel. The layout counts one character
// as one; a terminal may count its parts. So the terminal is asked, and what it draws otherwise is written
// in a form that both count alike.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Class is a set of kinds of characters.
type Class uint8

// The kinds of characters that terminals disagree about.
const (
	Joined    Class = 1 << iota // emoji that a zero-width joiner makes one: a family
	Flag                        // two letters that are a flag
	Toned                       // an emoji with the colour of its skin
	Presented                   // a sign that a selector makes an emoji: a red heart
	Keycap                      // a digit on a key
	Marks                       // a letter with a mark that has a cell of its own in some terminals
	Recent                      // an emoji that is younger than many terminals
)

// sample is a character by which a terminal shows how it counts a class.
type sample struct {
	class Class
	text  string
}

var samples = [...]sample{
	{Joined, "👩\u200d👩\u200d👧"},
	{Flag, "🇩🇪"},
	{Toned, "👍🏽"},
	{Presented, "❤\ufe0f"},
	{Keycap, "1\ufe0f\u20e3"},
	{Marks, "กำ"},
	{Recent, "\U0001fae9"},
}

// Replies is how many times the terminal says where its cursor is, as the answer to Question.
const Replies = len(samples) + 1

// Question returns what makes the terminal say how wide it draws each class: invisible samples, with a
// request for the position of the cursor before the first one and after each. It leaves nothing on the
// screen and the cursor where it was. It turns on mode 2027, in which terminals that know it count
// characters and not their parts.
func Question() string {
	const save, restore, hide = "\x1b7", "\x1b8", "\x1b[8m"
	var b strings.Builder
	b.WriteString(ansi.SetModeUnicodeCore + save + ansi.RequestCursorPositionReport)
	for _, s := range samples {
		b.WriteString(hide + s.text + ansi.RequestCursorPositionReport + restore)
	}
	b.WriteString(ansi.ResetStyle + ansi.EraseLineRight)
	return b.String()
}

// Terminal is what is known about how a terminal counts. The zero value is one that has not answered:
// then everything is written so that it does not matter.
type Terminal struct {
	Clusters bool  // it counts a character as one, and so must the renderer
	alike    Class // what it draws as wide as the layout takes it for
}

// Answered returns what the columns of the cursor say that a terminal replied to Question.
func Answered(columns []int) Terminal {
	var t Terminal
	if len(columns) != Replies {
		return t
	}
	for i, s := range samples {
		if columns[i+1]-columns[0] == ansi.StringWidth(s.text) {
			t.alike |= s.class
		}
	}
	t.Clusters = t.alike&Joined != 0 && t.alike&Marks != 0
	return t
}

// shows tells whether a character may be written as it is.
func (t Terminal) shows(c Class) bool {
	if !t.Clusters {
		// The renderer adds up the parts: of several, only those of a flag have two cells in that way too.
		return c == 0 || (c == Flag || c == Recent) && t.alike&c != 0
	}
	return c&^t.alike&^Marks == 0
}

// Safe returns a frame in which no character moves what stands behind it, in any terminal: one that the
// terminal counts otherwise becomes a simpler one of the same width, and marks that take cells of their own
// take them from the blank that follows.
func (t Terminal) Safe(frame string) string {
	if !suspicious(frame) {
		return frame
	}
	var b strings.Builder
	b.Grow(len(frame))
	for line := range strings.Lines(frame) {
		if suspicious(line) {
			t.line(&b, line)
		} else {
			b.WriteString(line)
		}
	}
	return b.String()
}

// suspicious tells quickly whether a text may hold a character that terminals disagree about.
func suspicious(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case 0xe0, 0xe1, 0xf3: // the scripts of India and its neighbours, and what spells flags of regions
			return true
		case 0xe2, 0xef:
			if rest := s[i:]; strings.HasPrefix(rest, "\u200d") || strings.HasPrefix(rest, "\u20e3") ||
				strings.HasPrefix(rest, "\ufe0e") || strings.HasPrefix(rest, "\ufe0f") {
				return true
			}
		case 0xf0:
			if r, _ := utf8.DecodeRuneInString(s[i:]); regional(r) || tone(r) || recent(r) {
				return true
			}
		}
	}
	return false
}

// line writes a line of a frame.
func (t Terminal) line(b *strings.Builder, line string) {
	state := byte(0)
	surplus, blank := 0, 0 // cells that the terminal takes more than the layout; spaces not written yet
	for line != "" {
		seq, width, n, next := ansi.DecodeSequence(line, state, nil)
		if len(seq) == 1 && width == 1 && n < len(line) && line[n] >= utf8.RuneSelf {
			// It may have marks, which the decoder takes for a character of their own.
			seq, width = ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
			n = len(seq)
		}
		state, line = next, line[n:]
		if seq == " " {
			blank++
			continue
		}
		surplus = writeBlank(b, blank, surplus)
		blank = 0
		if width > 0 && len(seq) > 1 {
			class, more := classOf(seq), ansi.WcWidth.StringWidth(seq)-width
			switch {
			case class != 0 && (!t.shows(class) || more != 0 && !t.Clusters):
				seq = simple(seq, width)
			case !t.Clusters:
				surplus += more
			}
		}
		b.WriteString(seq)
	}
	writeBlank(b, blank, surplus)
}

// writeBlank writes spaces, less what the terminal has used up before them but at least one, and
// returns what is left of that.
func writeBlank(b *strings.Builder, blank, surplus int) int {
	if blank == 0 {
		return surplus
	}
	cut := min(surplus, blank-1)
	b.WriteString(strings.Repeat(" ", blank-cut))
	return surplus - cut
}

// classOf returns what a character has that terminals disagree about, 0 for none.
func classOf(seq string) Class {
	first, n := utf8.DecodeRuneInString(seq)
	if n == len(seq) && !regional(first) && !recent(first) {
		return 0
	}
	var c Class
	if recent(first) {
		c = Recent
	}
	emoji := first >= 0x2190 && first <= 0x2bff || first >= 0x3030 && first <= 0x3299 || first >= 0x1f000 && first <= 0x1faff ||
		first == 0xa9 || first == 0xae || first == 0x203c || first == 0x2049 || first >= 0x2100 && first <= 0x214f
	for _, r := range seq {
		switch {
		case r == 0x200d && emoji:
			c |= Joined
		case regional(r), r >= 0xe0020 && r <= 0xe007f:
			c |= Flag
		case tone(r) && r != first:
			c |= Toned
		case r == 0x20e3:
			c |= Keycap
		case r == 0xfe0f, r == 0xfe0e:
			c |= Presented
		}
	}
	if c&Keycap != 0 {
		c &^= Presented
	}
	return c
}

// regional tells whether r is a letter of a flag.
func regional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

// tone tells whether r is the colour of a skin.
func tone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// recent tells whether r is an emoji of Unicode 14, of the year 2021, or later.
func recent(r rune) bool {
	if r < 0x1fa70 {
		return r >= 0x1f6d8 && r <= 0x1f6df
	}
	for _, span := range [...][2]rune{
		{0x1fa75, 0x1fa77},
		{0x1fa7b, 0x1fa7c},
		{0x1fa87, 0x1fa8f},
		{0x1faa9, 0x1faaf},
		{0x1fab7, 0x1fabf},
		{0x1fac3, 0x1facf},
		{0x1fad7, 0x1fadf},
		{0x1fae0, 0x1faef},
		{0x1faf0, 0x1faff},
	} {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// simple returns a character of so many cells that says as much as it can of one that the terminal would draw
// otherwise: the letters of a flag, else the first part. An emoji that it may not know is a square.
func simple(seq string, width int) string {
	first, _ := utf8.DecodeRuneInString(seq)
	s := string(first)
	switch {
	case recent(first):
		s = "□"
	case regional(first):
		s = ""
		for _, r := range seq {
			if regional(r) {
				s += string('A' + r - 0x1f1e6)
			}
		}
	}
	if ansi.WcWidth.StringWidth(s) > width || ansi.StringWidth(s) > width || ansi.WcWidth.StringWidth(s) != ansi.StringWidth(s) {
		s = "?"
	}
	return s + strings.Repeat(" ", max(0, width-ansi.StringWidth(s)))
}
