// Package relevance finds the texts that a question is about. It splits texts of many languages into words, reduces
// the words to their stems and ranks the texts by BM25 and by what stands next to them. It knows nothing of messages
// and roles, decides about no request and stores nothing: an index lives in memory.
package relevance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold gives a text as words are compared: in lower case, with one sequence of code points for what looks the same.
func fold(text string) string { return strings.ToLower(norm.NFKC.String(text)) }

// EachWord yields the words of a text: runs of letters, marks and digits. In scripts that are written without spaces
// it yields each pair of neighbouring characters, or a character that stands alone. Single Latin letters, such as what
// is left of a "don't" or an "l'eau", are no words.
func EachWord(text string, yield func(word string)) {
	for text != "" {
		first, _ := utf8.DecodeRuneInString(text)
		kind := kindOf(first)
		end := strings.IndexFunc(text, func(r rune) bool { return kindOf(r) != kind })
		if end < 0 {
			end = len(text)
		}
		switch run := text[:end]; {
		case kind == pairs:
			eachPair(run, yield)
		case kind == spaced && (len(run) > 1 || run <= "9"):
			yield(run)
		}
		text = text[end:]
	}
}

func eachPair(text string, yield func(pair string)) {
	runes := []rune(text)
	if len(runes) == 1 {
		yield(text)
	}
	for i := range runes[1:] {
		yield(string(runes[i : i+2]))
	}
}

// characterKind is what a character is to the words of a text.
type characterKind int

const (
	between characterKind = iota // it belongs to no word
	spaced                       // words stand between spaces
	pairs                        // the script has no spaces, or endings that no stemmer here takes off
)

func kindOf(r rune) characterKind {
	switch {
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
		return between
	case r >= 0x0e00 && unicode.In(r, unspaced...), r == 'ー':
		return pairs
	}
	return spaced
}

// unspaced are the scripts whose characters are looked for in pairs.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}
