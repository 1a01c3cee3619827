// Package relevance finds the texts that a question is about: it splits texts of many languages into words, finds
// their stems, and ranks texts by BM25 and by what stands next to them. It knows nothing of messages
// and roles, decides about no request and stores nothing: an index lives in memory.
package relevance

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// fold gives a text as words are compared: lower case, one code point sequence
// for what looks the same.
func fold(text string) string {
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

// EachWord yields the words of a text: runs of letters, marks and digits. In scripts that are written
// without spaces it is each pair of neighbouring characters of one script, or a character that
// stands alone; Hiragana alone is grammar. Single Latin letters, what is left of a "don't" or an
// "l'eau", are no words.
func EachWord(text string, yield func(word string)) {
	var run struct{ from, last, runes, script int } // the run that is open, and its newest character
	end := func(to int) {
		switch {
		case run.runes == 0:
		case run.script == spaced && (run.runes > 1 || text[run.from] >= utf8.RuneSelf || text[run.from] <= '9'),
			run.script > hiragana && run.runes == 1:
			yield(text[run.from:to])
		}
		run.runes = 0
	}
	for i, r := range text {
		script := scriptOf(r)
		if run.runes > 0 && script != run.script {
			end(i)
		}
		if script == none {
			continue
		}
		if run.runes == 0 {
			run.from, run.script = i, script
		} else if script != spaced {
			yield(text[run.last : i+utf8.RuneLen(r)])
		}
		run.last = i
		run.runes++
	}
	end(len(text))
}

// The scripts by which words are found.
const (
	none     = iota // no word's
	spaced          // words stand between spaces
	hiragana        // these and those behind have no spaces, or endings that no stemmer here takes off
	katakana
	han
	hangul
	other
)

func scriptOf(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' {
			return spaced
		}
		return none
	case r == 'ー', unicode.Is(unicode.Katakana, r):
		return katakana
	case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
		return none
	case r < 0x0e00:
		return spaced
	case unicode.Is(unicode.Han, r):
		return han
	case unicode.Is(unicode.Hiragana, r):
		return hiragana
	case unicode.Is(unicode.Hangul, r):
		return hangul
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return other
	}
	return spaced
}
