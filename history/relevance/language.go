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

// stemmers maps languages to their stemmers. The words of other languages are compared unchanged.
var stemmers = map[string]func(*snowballstem.Env) bool{
	"arabic": arabic.Stem, "danish": danish.Stem, "dutch": dutch.Stem, "english": english.Stem,
	"finnish": finnish.Stem, "french": french.Stem, "german": german.Stem, "hungarian": hungarian.Stem,
	"italian": italian.Stem, "norwegian": norwegian.Stem, "portuguese": portuguese.Stem,
	"romanian": romanian.Stem, "russian": russian.Stem, "spanish": spanish.Stem,
	"swedish": swedish.Stem, "turkish": turkish.Stem,
}

//go:embed languages.txt
var languagesText string

// lexicon is the parsed languages.txt. A language is identified by its position there, from 0.
type lexicon struct {
	names     []string          // the names of the languages
	compounds uint32            // the languages that join words to compounds, one bit each
	stop      map[string]uint32 // the languages in which a word is a stop word, one bit each

	// By kind, a replacer that removes the phrases of all languages from a text. The one for tasks takes a folded text,
	// the others take the result of sentences.
	phrases map[string]*strings.Replacer
}

var languages = sync.OnceValue(func() *lexicon { return readLexicon(languagesText) })

// readLexicon parses the format of languages.txt: the name of a language, then what is known of it. It panics if there
// is an error, because the file is part of the program.
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
		case kind == "instruction" || kind == "said":
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

// Stem returns the stem of a folded word in a language of languages.txt, or the word itself if there is no stemmer.
func Stem(word, language string) string {
	stem := stemmers[language]
	if stem == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

// guess returns the language with the most stop words among the words, or otherwise if that is not conclusive.
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

// maxInstruction is how many bytes of a text are searched for phrases. People do not put instructions after a pasted
// file.
const maxInstruction = 2 << 10

// hasPhrase reports whether the beginning of a text contains a phrase of a kind in any language. Short texts seldom
// reveal their own.
func (x *lexicon) hasPhrase(text, kind string) bool {
	text = " ^" + sentences(text[:min(len(text), maxInstruction)])
	return x.phrases[kind].Replace(text) != text
}

// sentences returns a folded text with ^ between sentences and one space around each word, and around each character of
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
