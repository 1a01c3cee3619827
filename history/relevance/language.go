package relevance

import (
	_ "embed"
	"iter"
	"math/bits"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// stemmers find the stems of the words of a language. A language without one has its words
// compared as they are; those written without spaces are compared by pairs of characters.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem,
	"finnish": finnish.Stem, "french": french.Stem, "german": german.Stem, "hungarian": hungarian.Stem,
	"italian": italian.Stem, "norwegian": norwegian.Stem, "portuguese": portuguese.Stem,
	"romanian": romanian.Stem, "russian": russian.Stem, "spanish": spanish.Stem,
	"swedish": swedish.Stem, "turkish": turkish.Stem,
}

//go:embed languages.txt
var languagesText string

// language is one language's place in the lexicon, from 0.
type language uint8

// lexicon is what is known of all languages.
type lexicon struct {
	stem    []func(*snowballstem.Env) bool // by language, nil for none
	stop    map[string]uint32              // a word's languages in which it says nothing, one bit each
	phrases [phraseKinds][][]string        // of each kind, by language
	joins   uint32                         // the languages that write two words as one, one bit each
}

// phraseKind is a kind of phrases of languages.txt, where the kinds are described.
type phraseKind int

const (
	wishes phraseKind = iota
	limits
	passing
	address
	said
	tasks
	phraseKinds
)

// phraseNames are the names of the kinds of phrases in languages.txt.
var phraseNames = map[string]phraseKind{
	"wish": wishes, "limit": limits, "passing": passing, "address": address,
	"said": said, "task": tasks,
}

// languages reads the lexicon once.
var languages = sync.OnceValue(func() *lexicon { return readLexicon(languagesText) })

// readLexicon reads the format of languages.txt: a language's name, then its stop words and its phrases.
func readLexicon(text string) *lexicon {
	x := &lexicon{stop: map[string]uint32{}}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		kind, words, listed := strings.Cut(line, ": ")
		switch {
		case line == "" || line[0] == '#':
		case !listed:
			x.stem = append(x.stem, stemmers[line])
			for k := range x.phrases {
				x.phrases[k] = append(x.phrases[k], nil)
			}
		case kind == "compounds":
			x.joins |= 1 << (len(x.stem) - 1)
		case kind == "stop":
			for w := range strings.FieldsSeq(words) {
				x.stop[w] |= 1 << (len(x.stem) - 1)
			}
		default:
			x.phrases[phraseNames[kind]][len(x.stem)-1] = strings.Split(words, "|")
		}
	}
	return x
}

// root is a folded word's stem in a language.
func (x *lexicon) root(word string, l language) string {
	stem := x.stem[l]
	if stem == nil {
		return word
	}
	return stemBy(stem, word)
}

// EnglishStem is the stem of an English word in lower case.
func EnglishStem(word string) string { return stemBy(english.Stem, word) }

func stemBy(stem func(*snowballstem.Env) bool, word string) string {
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

// guess is the language that most words belong to, from the stop words' languages, one bit each;
// before is the answer where they do not tell.
func (x *lexicon) guess(stops iter.Seq[uint32], before language) language {
	var votes [32]int
	for in := range stops {
		for ; in != 0; in &= in - 1 {
			votes[bits.TrailingZeros32(in)]++
		}
	}
	best, highest := before, votes[before]
	for l := range x.stem {
		if votes[l] > highest && votes[l] > 1 {
			best, highest = language(l), votes[l]
		}
	}
	return best
}

// holds reports whether a folded text of a language holds a phrase of some kind. No stop word tells the languages
// without spaces, so theirs are looked for in every text.
func (x *lexicon) holds(folded string, l language, kind phraseKind) bool {
	for k, phrases := range x.phrases[kind] {
		if k != int(l) && x.stem[k] != nil {
			continue
		}
		for _, p := range phrases {
			if holdsWords(folded, p) {
				return true
			}
		}
	}
	return false
}

// wishes reports whether a folded text of a language states a wish for all answers to come. Words such as "always"
// are often said in passing: they count in a sentence that addresses the assistant.
func (x *lexicon) wishes(folded string, l language) bool {
	if x.holds(folded, l, wishes) {
		return true
	}
	if !x.holds(folded, l, passing) || !x.holds(folded, l, address) {
		return false
	}
	for sentence := range strings.FieldsFuncSeq(folded, endsSentence) {
		if x.holds(sentence, l, passing) && x.holds(sentence, l, address) {
			return true
		}
	}
	return false
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?;\n…。！？؟", r) }

// AsksWhatWasSaid reports whether a question asks for what the assistant said: "which one did you recommend?" It
// looks for the phrases of all languages, because a short question seldom tells its own.
func (x *Index) AsksWhatWasSaid(question string) bool {
	return x.holdsAny(fold(question[:min(len(question), maxInstruction)]), said)
}

// holdsAny reports whether a folded text holds a phrase of some kind in any language.
func (x *lexicon) holdsAny(folded string, kind phraseKind) bool {
	for _, phrases := range x.phrases[kind] {
		for _, p := range phrases {
			if holdsWords(folded, p) {
				return true
			}
		}
	}
	return false
}

// withoutTask is a question without the phrases that say what to do with what is found: "sum up", "which came first".
// A long text is left alone: it says more than what to do.
func (x *lexicon) withoutTask(question string) string {
	if len(question) > maxInstruction {
		return question
	}
	folded := fold(question)
	for _, phrases := range x.phrases[tasks] {
		for _, p := range phrases {
			for at := wordsAt(folded, p); at >= 0; at = wordsAt(folded, p) {
				folded = folded[:at] + " , " + folded[at+len(p):]
			}
		}
	}
	return folded
}

// holdsWords reports whether a text holds a phrase as words of its own.
func holdsWords(text, phrase string) bool { return wordsAt(text, phrase) >= 0 }

// wordsAt is where a text holds a phrase as words of its own, -1 where it does not.
func wordsAt(text, phrase string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], phrase)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(phrase):])
		if scriptOf(before) != spaced && scriptOf(after) != spaced {
			return at
		}
		from = at + len(phrase)
	}
}
