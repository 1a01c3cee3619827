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
	unspaced   bool   // two characters of a script without spaces, or the last one of a run
}

// words returns the words of a text in order. The index keeps the words that it was given, so a change of this
// function needs a new index.
func words(text string) []word {
	var s splitter
	for at := 0; at < len(text); {
		size := 1
		if c := text[at]; c < utf8.RuneSelf && (at+1 == len(text) || text[at+1] < utf8.RuneSelf) {
			s.add(unicode.ToLower(rune(c)), at, at+1) // no mark can follow it
		} else {
			size = max(1, norm.NFKD.NextBoundaryInString(text[at:], true))
			for _, r := range folded(text[at : at+size]) {
				s.add(r, at, at+size)
			}
		}
		at += size
	}
	s.endWord()
	return s.words
}

// folded returns a character with its marks in the form that all ways to write it share: in lower case, without
// accents, and with the plain letters that stand for it.
func folded(character string) string {
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

// splitter gathers characters into words.
type splitter struct {
	words      []word
	letters    []byte // of the word so far
	previous   rune   // the character before in a run without spaces, 0 for none
	start, end int    // of letters or of previous
}

// add adds a folded character that is in the text from start to end.
func (s *splitter) add(r rune, start, end int) {
	switch {
	case !isLetter(r):
		s.endWord()
	case isUnspaced(r):
		if len(s.letters) > 0 {
			s.endWord()
		}
		if s.previous != 0 {
			s.words = append(s.words, word{string([]rune{s.previous, r}), s.start, end, true})
		}
		s.previous, s.start, s.end = r, start, end
	default:
		if s.previous != 0 {
			s.endWord()
		}
		if len(s.letters) == 0 {
			s.start = start
		}
		if len(s.letters)+utf8.RuneLen(r) <= maxWord {
			s.letters = utf8.AppendRune(s.letters, r)
		}
		s.end = end
	}
}

func (s *splitter) endWord() {
	switch {
	case len(s.letters) > 0:
		s.words = append(s.words, word{string(s.letters), s.start, s.end, false})
	case s.previous != 0:
		s.words = append(s.words, word{string(s.previous), s.start, s.end, true})
	}
	s.letters, s.previous = s.letters[:0], 0
}

const (
	zeroWidthSpace = '\u200b'
	voiced         = '\u3099' // makes one kana of another
	semiVoiced     = '\u309a'
	longVowel      = '\u30fc'
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

// isUnspaced reports whether a letter belongs to a script that is indexed in pairs. Korean has spaces, but ties its
// particles to the nouns.
func isUnspaced(r rune) bool {
	if r < utf8.RuneSelf {
		return false
	}
	if r == longVowel || r == voiced || r == semiVoiced {
		return true
	}
	return !unicode.Is(unicode.N, r) && unicode.In(r,
		unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
