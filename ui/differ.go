package ui

import (
	"strings"
	"unicode"
)

// piece is a stretch of a text that another text has too, or has not.
type piece struct {
	text string
	same bool
}

// mostCompared is how many pairs of words are compared at most. Two texts with more are shown as
// otherwise from the first difference to the last one.
const mostCompared = 250_000

// differ takes two texts apart by what they have in common, word by word. The pieces of each, joined,
// are the text.
func differ(before, after string) (was, is []piece) {
	a, b := wordsOf(before), wordsOf(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	inA, inB := common(a[head:len(a)-tail], b[head:len(b)-tail])
	return pieces(a, head, tail, inA), pieces(b, head, tail, inB)
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

// common says of each word of a and of b whether it belongs to a longest sequence that both have.
func common(a, b []string) (inA, inB []bool) {
	inA, inB = make([]bool, len(a)), make([]bool, len(b))
	if len(a) == 0 || len(b) == 0 || len(a) > mostCompared/len(b) {
		return inA, inB
	}
	wide := len(b) + 1
	longest := make([]int, (len(a)+1)*wide) // of what follows in a and in b
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i*wide+j] = longest[(i+1)*wide+j+1] + 1
				continue
			}
			longest[i*wide+j] = max(longest[(i+1)*wide+j], longest[i*wide+j+1])
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			inA[i], inB[j] = true, true
			i, j = i+1, j+1
		case longest[(i+1)*wide+j] >= longest[i*wide+j+1]:
			i++
		default:
			j++
		}
	}
	return inA, inB
}

// pieces joins words: the first and last ones are the same, those between as same says.
func pieces(words []string, head, tail int, same []bool) []piece {
	var list []piece
	for i, word := range words {
		is := i < head || i >= len(words)-tail || same[i-head]
		if n := len(list); n > 0 && list[n-1].same == is {
			list[n-1].text += word
			continue
		}
		list = append(list, piece{word, is})
	}
	return list
}
