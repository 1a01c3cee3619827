package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes in bytes of the text from which a snippet is cut.
const (
	snippetSize = 160
	snippetLead = 40 // before the first match
	snippetSlip = 16 // how far an end may move to a space

	ellipsis = "…"
)

// contextSize is the number of bytes on each side in SnippetContext. A private key fits into it.
const contextSize = 4 << 10

// SnippetContext returns the part of a text from which Snippet cuts, with enough text on both sides to recognise a
// secret that crosses an end of the snippet.
func (q Query) SnippetContext(text string) string {
	at := q.bestStart(text)
	return text[runeStart(text, at-contextSize):runeStart(text, at+contextSize)]
}

// Snippet returns one line of text around the densest match of the query, and the marks in it. If possible it begins
// and ends between words. White space and control characters become single spaces, invisible characters are removed,
// and invalid bytes become U+FFFD.
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
		case unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d': // joiners shape their neighbours
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

// bestStart returns the start of the first place that has the most matches within the length of a snippet.
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

// runeStart returns the start of the character that contains the byte at an offset. Offsets outside the text are
// clamped.
func runeStart(text string, at int) int {
	if at <= 0 || at >= len(text) {
		return max(0, min(at, len(text)))
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
