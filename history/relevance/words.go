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

// Words are the words of a text in their order: runs of letters, marks and digits. In scripts that are written without
// spaces they are each pair of neighbouring characters of one script, or a character that stands alone; a Hiragana
// alone is grammar. Single Latin letters, such as what is left of a "don't" or an "l'eau", are no words.
func Words(text string) []string {
	var list []string
	for text != "" {
		first, size := utf8.DecodeRuneInString(text)
		kind := scriptOf(first)
		end := strings.IndexFunc(text, func(r rune) bool { return scriptOf(r) != kind })
		if end < 0 {
			end = len(text)
		}
		word := text[:end]
		text = text[end:]
		switch {
		case kind == between, kind == hiragana && end == size, kind == spaced && end == 1 && word > "9":
		case kind == spaced || end == size:
			list = append(list, word)
		default:
			runes := []rune(word)
			for i := range runes[1:] {
				list = append(list, string(runes[i:i+2]))
			}
		}
	}
	return list
}

// What a character is to the words of a text. The scripts whose characters are looked for in pairs follow, in the order
// of unspaced: they have no spaces, or endings that no stemmer here takes off.
const (
	between  = iota // it belongs to no word
	spaced          // words stand between spaces
	hiragana        // the first of unspaced
)

var unspaced = []*unicode.RangeTable{
	unicode.Hiragana, unicode.Katakana, unicode.Han, unicode.Hangul, unicode.Thai, unicode.Lao,
	unicode.Khmer, unicode.Myanmar,
}

func scriptOf(r rune) int {
	switch {
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
		return between
	case r == 'ー': // It lengthens a Katakana.
		return scriptOf('ア')
	case r >= 0x0e00:
		for k, script := range unspaced {
			if unicode.Is(script, r) {
				return hiragana + k
			}
		}
	}
	return spaced
}
