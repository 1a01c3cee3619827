package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is the number of bytes of a word that are significant. Longer words are keys and encoded data, which nobody
// types in full.
const maxWord = 64

// word is a word of a text.
type word struct {
	text       string // normalized, as it is in the index
	start, end int    // byte offsets in the text
}

// words returns the words of a text in order. The words in existing indexes come from this function, so changing it
// requires a new index.
func words(text string) (all []word) {
	var letters []byte // of the current word
	var start, end int
	endWord := func() {
		if len(letters) > 0 {
			all = append(all, word{string(letters), start, end})
		}
		letters = letters[:0]
	}
	for at := 0; at < len(text); {
		character := nextCharacter(text[at:])
		from, to := at, at+len(character)
		for _, r := range folded(character) {
			switch {
			case !isLetter(r):
				endWord()
				continue
			case isUnspaced(r):
				endWord()
				all = append(all, word{string(r), from, to})
				continue
			case len(letters) == 0:
				start = from
			}
			if end = to; len(letters)+utf8.RuneLen(r) <= maxWord {
				letters = utf8.AppendRune(letters, r)
			}
		}
		at = to
	}
	endWord()
	return all
}

// nextCharacter returns the first character of a text with its combining marks.
func nextCharacter(text string) string {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1] // no combining mark can follow it
	}
	return text[:max(1, norm.NFKD.NextBoundaryInString(text, true))]
}

// folded returns a character with its marks in normalized form: lower case, without accents, and with ligatures and
// stroked letters replaced by plain ones.
func folded(character string) string {
	if len(character) == 1 {
		return strings.ToLower(character)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(character) {
		if isAccent(r) || unicode.Is(unicode.Cf, r) && r != zeroWidthSpace {
			continue
		}
		r = unicode.ToLower(unicode.ToUpper(r)) // via upper case, because two lower-case letters can share one
		if plain, ok := plainLetters[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String()) // decomposed Korean syllables are three times as long
}

const (
	zeroWidthSpace = '\u200b'
	voiced         = '\u3099' // turns a kana into another one
	semiVoiced     = '\u309a'
)

// plainLetters maps Latin letters that Unicode does not decompose to plain letters.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ŧ': "t", 'þ': "th",
}

// isLetter reports whether a character can be part of a word.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// isAccent reports whether a mark is optional in writing: an accent on a Latin, Greek or Cyrillic letter, or an Arabic
// or Hebrew vowel sign. Other marks are part of the word.
func isAccent(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) && r != voiced && r != semiVoiced &&
		unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew, unicode.Cyrillic)
}

// isUnspaced reports whether a letter belongs to a script in which each character is indexed as a word. Korean is
// written with spaces, but attaches particles to nouns.
func isUnspaced(r rune) bool {
	return r >= utf8.RuneSelf && !unicode.Is(unicode.N, r) && unicode.In(r,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
