// Package relevance finds the texts that a question is about. It splits texts of many languages into words, reduces the
// words to their stems and ranks the texts by BM25 and by their neighbours. It knows nothing about messages and roles.
// An index is kept in memory only.
package relevance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold returns a text in the form in which words are compared: in lower case and Unicode normalization form KC.
func fold(text string) string { return strings.ToLower(norm.NFKC.String(text)) }

// Words returns the words of a text in order: runs of letters, marks and digits. In scripts without spaces these are
// all pairs of neighbouring characters of one script, or a character that stands alone; single Hiragana are left out as
// grammar. Single Latin letters, such as the parts of "don't" or "l'eau", are left out too.
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

// The classes of characters. The scripts whose characters are indexed in pairs follow, in the order of unspaced: they
// have no spaces, or have endings that no stemmer here removes.
const (
	between  = iota // part of no word
	spaced          // part of a word between spaces
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
	case r == 'ー': // the Katakana length mark
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
