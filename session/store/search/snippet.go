package search

import (
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

	// snippetAround is how much of the text before and behind a snippet is kept with it: what Snippet.Without takes
	// out may be as long as a private key.
	snippetAround = 4 << 10

	ellipsis = "…"
)

// Snippet is one line of a text around what was found in it.
type Snippet struct {
	Text  string   // without control characters
	Marks [][2]int // what was found in Text: byte ranges in order that do not touch

	around string // the text from which the snippet was cut, as far as Without looks at it
	from   int    // where the snippet begins in it
	at     []int  // where each byte of around from there on is in Text, and the end
}

// Snippet cuts a line out of the text, around the places where most phrases are close together.
func (m Match) Snippet() Snippet {
	start, _ := m.closest()
	from, to := bounds(m.text, start)
	first, last := max(0, from-snippetAround), min(len(m.text), to+snippetAround)
	s := Snippet{around: strings.Clone(m.text[first:last]), from: from - first}
	s.Text, s.at = line(m.text, from, to)
	for _, r := range m.ranges() {
		if mark := s.inText([2]int{r[0] - first, r[1] - first}); mark[0] < mark[1] {
			s.Marks = append(s.Marks, mark)
		}
	}
	return s
}

// bounds returns where a snippet that shows the byte at start begins and ends in a text: between two words where that
// is near, between two characters otherwise.
func bounds(text string, start int) (from, to int) {
	from = max(0, start-snippetLead)
	to = min(len(text), from+snippetSize)
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
	return from, to
}

// line returns a part of a text as one line, and where in it each byte of the part is, and the end. White space
// becomes one space, characters that show nothing are left out, and an invalid byte becomes U+FFFD.
func line(text string, from, to int) (string, []int) {
	var b strings.Builder
	if from > 0 {
		b.WriteString(ellipsis)
	}
	at := make([]int, 0, to-from+1)
	space := true // white space was written last, or nothing
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(text[i:to])
		for range size {
			at = append(at, b.Len())
		}
		i += size
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
	}
	line := strings.TrimRight(b.String(), " ")
	at = append(at, len(line))
	for i := range at {
		at[i] = min(at[i], len(line))
	}
	if to < len(text) {
		line += ellipsis
	}
	return line, at
}

// isJoiner reports whether an invisible character decides how its neighbours look.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// inText is where a byte range of the text around the snippet is in the snippet, an empty range for nowhere.
func (s Snippet) inText(r [2]int) [2]int {
	from, to := max(r[0]-s.from, 0), min(r[1]-s.from, len(s.at)-1)
	if from >= to {
		return [2]int{}
	}
	return [2]int{s.at[from], s.at[to]}
}

// Without is a snippet with a sign in the place of what find finds in it, and how often it found something. Find gets
// the text around the snippet too, because a secret may begin before the snippet or end behind it; it returns byte
// ranges in order and apart. A mark that one of them meets is gone.
func (s Snippet) Without(find func(text string) [][2]int, sign string) (Snippet, int) {
	hidden := slices.Clone(find(s.Text))
	for _, r := range find(s.around) {
		if r = s.inText(r); r[0] < r[1] {
			hidden = append(hidden, r)
		}
	}
	hidden = merged(hidden)
	var text strings.Builder
	var marks [][2]int
	shown := 0
	for _, h := range append(slices.Clone(hidden), [2]int{len(s.Text), len(s.Text)}) {
		moved := text.Len() - shown
		for _, mark := range s.Marks {
			if shown <= mark[0] && mark[1] <= h[0] {
				marks = append(marks, [2]int{mark[0] + moved, mark[1] + moved})
			}
		}
		text.WriteString(s.Text[shown:h[0]])
		if h[0] < len(s.Text) {
			text.WriteString(sign)
		}
		shown = h[1]
	}
	s.Text, s.Marks = text.String(), marks
	return s, len(hidden)
}
