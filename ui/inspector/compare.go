package inspector

import (
	"strings"
	"unicode"

	"github.com/aymanbagabas/go-udiff/lcs"
)

// piece is a stretch of a text that another text has too, or has not.
type piece struct {
	text string
	same bool
}

// differ takes two texts apart by what they have in common, word by word. The pieces of each, joined,
// are the text.
func differ(before, after string) (was, is []piece) {
	a, b := wordsOf(before), wordsOf(after)
	at, bt := 0, 0
	for _, d := range lcs.DiffLines(a, b) { // it compares any texts, and these are words
		was = add(add(was, true, a[at:d.Start]), false, a[d.Start:d.End])
		is = add(add(is, true, b[bt:d.ReplStart]), false, b[d.ReplStart:d.ReplEnd])
		at, bt = d.End, d.ReplEnd
	}
	return add(was, true, a[at:]), add(is, true, b[bt:])
}

// add appends a piece to others, unless it is empty.
func add(list []piece, same bool, words []string) []piece {
	if len(words) == 0 {
		return list
	}
	if n := len(list); n > 0 && list[n-1].same == same {
		list[n-1].text += strings.Join(words, "")
		return list
	}
	return append(list, piece{strings.Join(words, ""), same})
}

// wordsOf splits a text into runs of letters and digits, and every other character by itself. Bytes
// that are no text are words of their own.
func wordsOf(s string) []string {
	var list []string
	start := 0
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if start < i {
				list = append(list, s[start:i])
			}
			n := 1
			if r != unicode.ReplacementChar || strings.HasPrefix(s[i:], string(r)) {
				n = len(string(r))
			}
			list = append(list, s[i:i+n])
			start = i + n
		}
	}
	if start < len(s) {
		list = append(list, s[start:])
	}
	return list
}
