package history

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// foldCase brings a text to the form in which words are compared: lower case, one code point sequence
// for what looks the same.
func foldCase(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return strings.ToLower(norm.NFKC.String(text))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// eachWord yields the words of a text: runs of letters, marks and digits; of scripts that are written
// without spaces each pair of neighbouring characters. Single Latin letters, what is left of a
// "don't" or an "l'eau", are no words.
func eachWord(text string, yield func(word string)) {
	from, runes := -1, 0  // of the run that is open
	last, lastAt := 0, -1 // length and start of the newest character of a script without spaces
	end := func(to int) {
		if from >= 0 && (runes > 1 || text[from] >= utf8.RuneSelf || text[from] <= '9') {
			yield(text[from:to])
		}
		from, runes = -1, 0
	}
	for i, r := range text {
		switch {
		case wordRune(r):
			if from < 0 {
				from = i
			}
			runes++
		case unspaced(r):
			end(i)
			if lastAt >= 0 && lastAt+last == i {
				yield(text[lastAt : i+utf8.RuneLen(r)])
			}
			last, lastAt = utf8.RuneLen(r), i
		default:
			end(i)
		}
	}
	end(len(text))
}

// wordRune reports whether a character stands in words that spaces end.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unspaced(r)
}

// unspaced reports whether a script puts no spaces between its words, or ties endings to them that
// no stemmer here takes off.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}
