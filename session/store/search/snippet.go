package search

import (
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

// contextSize is how many bytes on both sides of a snippet Around gives: as many as a private key has.
const contextSize = 4 << 10

// SnippetContext is the part of a text that a snippet is cut from, with enough on both sides to know a secret that begins
// before the snippet or ends behind it.
func (q Query) SnippetContext(text string) string {
	at := q.bestStart(text)
	return text[runeStart(text, at-contextSize):runeStart(text, at+contextSize)]
}

// Snippet is a line of a text around the place where most of a query is close together, and the marks in it. It begins
// and ends between two words where that is near. White space and control characters become one space, characters that
// show nothing are left out, and an invalid byte becomes U+FFFD.
func (q Query) Snippet(text string) (line string, marks [][2]int) {
	from := max(0, min(q.bestStart(text)-snippetLead, len(text)-snippetSize))
	to := min(len(text), from+snippetSize)
	if from > 0 {
		from += 1 + strings.IndexFunc(text[from:from+snippetSlip], unicode.IsSpace)
	}
	if to < len(text) {
		to -= snippetSlip - 1 - strings.LastIndexFunc(text[to-snippetSlip:to], unicode.IsSpace)
	}
	from, to = runeStart(text, from), runeStart(text, to)
	shown := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.Is(unicode.Cc, r), r == zeroWidthSpace:
			return ' '
		case unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d': // these two decide how their neighbours look
			return -1
		}
		return r
	}, text[from:to])
	line = strings.Join(strings.Fields(shown), " ")
	if from > 0 {
		line = ellipsis + line
	}
	if to < len(text) {
		line += ellipsis
	}
	marks, _ = q.Find(line)
	return line, marks
}

// bestStart is where the most marks are within a snippet's length; of several such places it is the first.
func (q Query) bestStart(text string) (start int) {
	marks, _ := q.Find(text)
	most := 0
	for i, first := range marks {
		near := 0
		for _, m := range marks[i:] {
			if m[1] <= first[0]+snippetSize-snippetLead {
				near++
			}
		}
		if near > most {
			start, most = first[0], near
		}
	}
	return start
}

// runeStart is the beginning of the character at a place in a text, or the end of the text that is nearer.
func runeStart(text string, at int) int {
	if at <= 0 || at >= len(text) {
		return max(0, min(at, len(text)))
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
