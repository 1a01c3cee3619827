package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWord is how many bytes of a word count. Longer ones are keys and encoded files, which nobody types to the end.
const maxWord = 64

// word is a word of a text.
type word struct {
	text       string // as the index has it
	start, end int    // its bytes in the text
}

// words returns the words of a text in order. The index keeps the words that it was given, so a change of this
// function needs a new index.
func words(text string) (all []word) {
	var letters []byte // of the word so far
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

// nextCharacter is the first character of a text with the marks that belong to it.
func nextCharacter(text string) string {
	if text[0] < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		return text[:1] // no mark can follow it
	}
	return text[:max(1, norm.NFKD.NextBoundaryInString(text, true))]
}

// folded returns a character with its marks in the form that all ways to write it share: in lower case, without
// accents, and with the plain letters that stand for it.
func folded(character string) string {
	if len(character) == 1 {
		return strings.ToLower(character)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(character) {
		if isAccent(r) || unicode.Is(unicode.Cf, r) && r != zeroWidthSpace {
			continue
		}
		r = unicode.ToLower(unicode.ToUpper(r)) // by way of the upper case, because two small letters can share one
		if plain, ok := plainLetters[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String()) // Korean syllables are three times as long in pieces
}

const (
	zeroWidthSpace = '\u200b'
	voiced         = '\u3099' // makes one kana of another
	semiVoiced     = '\u309a'
)

// plainLetters are the Latin letters with a stroke or grown together that Unicode does not take apart.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ŧ': "t", 'þ': "th",
}

// isLetter reports whether a character belongs to a word.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
	}
	return unicode.In(r, unicode.L, unicode.N, unicode.M)
}

// isAccent reports whether a mark may be left out in writing: accents on Latin, Greek and Cyrillic letters, the vowel
// signs of Arabic and Hebrew. Elsewhere a mark is a part of the word.
func isAccent(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) && r != voiced && r != semiVoiced &&
		unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew, unicode.Cyrillic)
}

// isUnspaced reports whether a letter belongs to a script of which every character is a word to the index. Korean has
// spaces, but ties its particles to the nouns.
func isUnspaced(r rune) bool {
	return r >= utf8.RuneSelf && !unicode.Is(unicode.N, r) && unicode.In(r,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
