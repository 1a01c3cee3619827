package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The index, a query and the marks in a snippet all see a text as words, and these are made here
// alone. A word is a run of letters and digits, folded: lower case, without accents, in one of the
// several ways that Unicode has to write it. A script that puts no spaces between its words comes as
// overlapping pairs of characters, so that anything written in it is found wherever it is; the
// last character of such a run is a word as well.
//
// An index keeps the words it was made of. A change of this file needs a schema step that empties the
// index and hands all messages to the backlog.

// maxWord is how many bytes of a word count. Longer ones are keys and encoded files: nobody types
// them to the end, and the index need not repeat them.
const maxWord = 64

// word is one word of a text.
type word struct {
	text       string // as the index has it
	start, end int    // where it is in the text, in bytes
	kind       wordKind
}

type wordKind int

const (
	plainWord  wordKind = iota
	pair                // two characters of a script without spaces
	singleChar          // the one at the end of a run of them
)

// words returns the words of a text in order.
func words(text string) iter.Seq[word] {
	return func(yield func(word) bool) {
		s := splitter{yield: yield}
		for at := 0; at < len(text) && !s.done; {
			c, size := nextCharacter(text[at:])
			s.add(c, at, at+size)
			at += size
		}
		s.endWord()
	}
}

// splitter gathers characters into words.
type splitter struct {
	yield      func(word) bool
	done       bool // nobody wants more
	word       []byte
	start, end int    // of the word, or of the character before
	before     string // the character before in a run of pairs
}

// add adds a character that is in the text from start to end.
func (s *splitter) add(c character, start, end int) {
	switch c.kind {
	case spaced:
		s.letter(c.text, start, end)
	case unspaced:
		s.character(c.text, start, end)
	case several:
		for at := 0; at < len(c.text); {
			size := max(1, norm.NFC.NextBoundaryInString(c.text[at:], true))
			s.add(foldOne(c.text[at:at+size]), start, end)
			at += size
		}
	case gap:
		s.endWord()
	}
}

// letter adds a character of a script with spaces to the word.
func (s *splitter) letter(text string, start, end int) {
	if s.before != "" {
		s.endWord()
	}
	if len(s.word) == 0 {
		s.start = start
	}
	if len(s.word)+len(text) <= maxWord {
		s.word = append(s.word, text...)
	}
	s.end = end
}

// character adds a character of a script without spaces, which makes a pair with the one before.
func (s *splitter) character(text string, start, end int) {
	if len(s.word) > 0 {
		s.endWord()
	}
	if s.before != "" {
		s.say(word{s.before + text, s.start, end, pair})
	}
	s.before, s.start, s.end = text, start, end
}

func (s *splitter) endWord() {
	switch {
	case len(s.word) > 0:
		s.say(word{string(s.word), s.start, s.end, plainWord})
	case s.before != "":
		s.say(word{s.before, s.start, s.end, singleChar})
	}
	s.word, s.before = s.word[:0], ""
}

func (s *splitter) say(w word) { s.done = s.done || !s.yield(w) }

// character is what one character of a text is to the index.
type character struct {
	kind characterKind
	text string // folded
}

type characterKind int

const (
	gap      characterKind = iota // ends a word
	silent                        // leaves no trace in a word and does not end it
	spaced                        // of a script with spaces between words, and every digit
	unspaced                      // of a script without
	several                       // a sign that stands for several, one of them at least of a script without
)

// nextCharacter returns the character at the beginning of a text, with the marks on it, and its size in bytes.
func nextCharacter(text string) (character, int) {
	c := text[0]
	if c >= utf8.RuneSelf || len(text) > 1 && text[1] >= utf8.RuneSelf {
		size := max(1, norm.NFKD.NextBoundaryInString(text, true))
		return fold(text[:size]), size
	}
	switch {
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		return character{spaced, text[:1]}, 1
	case 'A' <= c && c <= 'Z':
		return character{spaced, smallLetters[c-'A' : c-'A'+1]}, 1
	}
	return character{}, 1
}

const smallLetters = "abcdefghijklmnopqrstuvwxyz"

// fold makes one of all characters that a person who searches takes for the same.
func fold(text string) character {
	c := foldOne(text)
	mixed := c.kind == spaced && strings.ContainsFunc(c.text, withoutSpaces)
	if (c.kind == unspaced || mixed) && norm.NFC.NextBoundaryInString(c.text, true) < len(c.text) {
		c.kind = several
	}
	return c
}

// foldOne is fold of what stands for one character.
func foldOne(text string) character {
	c := character{kind: gap}
	var b strings.Builder
	for _, r := range norm.NFKD.String(text) {
		switch {
		case accent(r) || unicode.Is(unicode.Cf, r) && r != zeroWidthSpace:
			if c.kind == gap {
				c.kind = silent
			}
		case unicode.In(r, unicode.L, unicode.N, unicode.M):
			if c.kind != unspaced && c.kind != spaced {
				c.kind = spaced
				if withoutSpaces(r) {
					c.kind = unspaced
				}
			}
			// By way of the upper case, because two small letters can share one.
			r = unicode.ToLower(unicode.ToUpper(r))
			if plain, ok := plainLetters[r]; ok {
				b.WriteString(plain)
			} else {
				b.WriteRune(r)
			}
		default:
			if c.kind == silent {
				c.kind = gap
			}
		}
	}
	if c.text = b.String(); c.kind == unspaced {
		c.text = norm.NFC.String(c.text) // Korean syllables are three times as long in pieces
	}
	return c
}

const zeroWidthSpace = '\u200b'

// plainLetters are the Latin letters with a stroke or grown together that Unicode does not take apart.
var plainLetters = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'ł': "l", 'đ': "d", 'ð': "d", 'ħ': "h", 'ŧ': "t", 'þ': "th",
}

// accent reports whether a mark may be left out in writing: accents on Latin, Greek and Cyrillic
// letters, the vowel signs of Arabic and Hebrew. Elsewhere a mark is a part of the word.
func accent(r rune) bool {
	return unicode.In(r, unicode.Mn, unicode.Me) && r != voiced && r != semiVoiced &&
		unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew, unicode.Cyrillic)
}

// The marks that make one kana of another, and the sign of a long vowel.
const (
	voiced     = '\u3099'
	semiVoiced = '\u309a'
	longVowel  = '\u30fc'
)

// withoutSpaces reports whether a letter belongs to a script that is read in pairs. Korean has spaces,
// but ties its particles to the nouns.
func withoutSpaces(r rune) bool {
	return r == longVowel || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && !unicode.Is(unicode.N, r)
}
