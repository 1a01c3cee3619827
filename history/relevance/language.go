package relevance

import (
	_ "embed"
	"math/bits"
	"slices"
	"strings"
	"sync"

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

// stemmers reduce words to their stems. A language without one has its words compared as they are.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem,
	"finnish": finnish.Stem, "french": french.Stem, "german": german.Stem, "hungarian": hungarian.Stem,
	"italian": italian.Stem, "norwegian": norwegian.Stem, "portuguese": portuguese.Stem,
	"romanian": romanian.Stem, "russian": russian.Stem, "spanish": spanish.Stem,
	"swedish": swedish.Stem, "turkish": turkish.Stem,
}

//go:embed languages.txt
var languagesText string

// lexicon is what languages.txt says. A language is its place there, from 0.
type lexicon struct {
	names     []string          // of the languages
	compounds uint32            // the languages that write two words as one, one bit each
	stop      map[string]uint32 // the languages in which a word says nothing, one bit each

	// By kind, what takes the phrases of all languages out of a text: a task out of a folded one, the others out of a
	// result of sentences.
	phrases map[string]*strings.Replacer
}

var languages = sync.OnceValue(func() *lexicon { return readLexicon(languagesText) })

// readLexicon reads the format of languages.txt: the name of a language, then what is known of it. It panics at a
// fault: the file is a part of the program.
func readLexicon(text string) *lexicon {
	x := &lexicon{stop: map[string]uint32{}, phrases: map[string]*strings.Replacer{}}
	pairs := map[string][]string{} // of a phrase and what replaces it, by kind
	for line := range strings.Lines(text) {
		kind, list, listed := strings.Cut(strings.TrimSpace(line), ": ")
		newest := len(x.names) - 1
		switch {
		case kind == "" || kind[0] == '#':
		case !listed:
			x.names = append(x.names, kind)
		case kind == "compounds":
			x.compounds |= 1 << newest
		case kind == "stop":
			for word := range strings.FieldsSeq(list) {
				x.stop[word] |= 1 << newest
			}
		case kind == "wish" || kind == "said":
			for phrase := range strings.SplitSeq(list, "|") {
				pairs[kind] = append(pairs[kind], sentences(phrase), "")
			}
		case kind == "task":
			for phrase := range strings.SplitSeq(fold(list), "|") {
				pairs[kind] = append(pairs[kind], phrase, " , ")
			}
		default:
			panic("languages.txt: unknown kind " + kind)
		}
	}
	for kind, list := range pairs {
		x.phrases[kind] = strings.NewReplacer(list...)
	}
	return x
}

// Stem is the stem of a folded word in a language of languages.txt, the word itself in one without a stemmer.
func Stem(word, language string) string {
	stem := stemmers[language]
	if stem == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

// guess is the language in which most of the words are stop words, and otherwise where they do not tell.
func (x *lexicon) guess(words []string, otherwise int) int {
	votes := make([]int, len(x.names))
	for _, word := range words {
		for in := x.stop[word]; in != 0; in &= in - 1 {
			votes[bits.TrailingZeros32(in)]++
		}
	}
	best := slices.Max(votes)
	if best < 2 || best == votes[otherwise] {
		return otherwise
	}
	return slices.Index(votes, best)
}

// maxInstruction is how many bytes of a text are looked at for a phrase: nobody hides one behind a pasted file.
const maxInstruction = 2 << 10

// holds reports whether the beginning of a text holds a phrase of a kind in any language: a short text seldom tells its
// own.
func (x *lexicon) hasPhrase(text, kind string) bool {
	text = " ^" + sentences(text[:min(len(text), maxInstruction)])
	return x.phrases[kind].Replace(text) != text
}

// sentences is a text, folded, with a ^ between sentences and one space around each word, and around each character of
// a script without spaces.
func sentences(text string) string {
	var b strings.Builder
	for _, r := range fold(text) {
		switch kind := scriptOf(r); {
		case strings.ContainsRune("^.!?:;\n…。！？؟", r):
			b.WriteString(" ^ ")
		case kind == between:
			b.WriteByte(' ')
		case kind == spaced:
			b.WriteRune(r)
		default:
			b.WriteString(" " + string(r) + " ")
		}
	}
	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}
