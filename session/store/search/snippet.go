package search

import (
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of a snippet, in bytes of the text that it is cut from.
const (
	snippetSize = 160
	snippetLead = 40 // before the first place that it shows
	snippetSlip = 16 // how far an end moves to the space between two words

	ellipsis = "…"
)

// Snippet is a part of a text around what was found in it.
type Snippet struct {
	Text     string   // the whole text
	From, To int      // the part
	Marks    [][2]int // what was found in the text: byte ranges in order that do not touch
}

// Snippet is the part of the text where most phrases are close together. It begins and ends between two words where
// that is near, between two characters otherwise.
func (m Match) Snippet() Snippet {
	text, start := m.text, m.closest()
	from := max(0, start-snippetLead)
	to := min(len(text), from+snippetSize)
	from = max(0, min(from, to-snippetSize))
	if from > 0 {
		if space := strings.IndexFunc(text[from:min(start, from+snippetSlip)], unicode.IsSpace); space >= 0 {
			from += space + 1
		}
	}
	if to < len(text) {
		tail := max(from, start, to-snippetSlip)
		if space := strings.LastIndexFunc(text[tail:to], unicode.IsSpace); space > 0 {
			to = tail + space
		}
	}
	for from > 0 && from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && to > from && !utf8.RuneStart(text[to]) {
		to--
	}
	return Snippet{text, from, to, m.ranges()}
}

// closest is where the most different phrases are within a snippet's length; of several such places it is the first.
func (m Match) closest() (start int) {
	most := 0
	for i, first := range m.places {
		near := uint32(0) // a bit for each phrase
		for _, p := range m.places[i:] {
			if p.end > first.start+snippetSize-snippetLead {
				break
			}
			near |= 1 << p.phrase
		}
		if n := bits.OnesCount32(near); n > most || i == 0 {
			start, most = first.start, n
		}
	}
	return start
}

// Line is the snippet as one line without control characters, and what was found in it as byte ranges. White space
// becomes one space, characters that show nothing are left out, and an invalid byte becomes U+FFFD. A sign stands in
// the place of each of some hidden ranges of the text, which are in order and apart; what was found there is not marked.
func (s Snippet) Line(hidden [][2]int, sign string) (line string, marks [][2]int) {
	apart := func(a [2]int) func([2]int) bool { return func(b [2]int) bool { return b[1] <= a[0] || a[1] <= b[0] } }
	part := [2]int{s.From, s.To}
	hidden = slices.DeleteFunc(slices.Clone(hidden), apart(part))
	found := slices.DeleteFunc(slices.Clone(s.Marks), func(mark [2]int) bool {
		return mark[0] < s.From || mark[1] > s.To || slices.ContainsFunc(hidden, func(h [2]int) bool { return !apart(h)(mark) })
	})
	var b strings.Builder
	if s.From > 0 {
		b.WriteString(ellipsis)
	}
	space := true // white space was written last, or nothing
	for at := s.From; at < s.To; {
		if len(hidden) > 0 && at >= hidden[0][0] {
			b.WriteString(sign)
			at, hidden, space = hidden[0][1], hidden[1:], false
			continue
		}
		if n := len(marks); n < len(found) && at == found[n][0] {
			found[n][0] = b.Len()
		}
		r, size := utf8.DecodeRuneInString(s.Text[at:s.To])
		at += size
		switch {
		case unicode.IsSpace(r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r) && !isJoiner(r):
		default:
			b.WriteRune(r)
			space = false
		}
		if n := len(marks); n < len(found) && at == found[n][1] {
			marks = append(marks, [2]int{found[n][0], b.Len()})
		}
	}
	line = strings.TrimRight(b.String(), " ")
	if s.To < len(s.Text) {
		line += ellipsis
	}
	return line, marks
}

// isJoiner reports whether an invisible character decides how its neighbours look.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }
