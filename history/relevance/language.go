package relevance

import (
	_ "embed"
	"fmt"
	"math/bits"
	"regexp"
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
	stem   []func(*snowballstem.Env) bool // by language, nil for none
	joins  uint32                         // the languages that write two words as one, one bit each
	stop   map[string]uint32              // the languages in which a word says nothing, one bit each
	wishes []string                       // phrases of all languages, as they stand in a result of sentences
	said   []string                       // the same
	task   *regexp.Regexp                 // the phrases of all languages that say what to do with what is found
}

// languages is the lexicon of languages.txt, which is a part of the program: a fault in it is a programmer's.
var languages = sync.OnceValue(func() *lexicon {
	x, err := readLexicon(languagesText)
	if err != nil {
		panic(err)
	}
	return x
})

// readLexicon reads the format of languages.txt: the name of a language, then what is known of it.
func readLexicon(text string) (*lexicon, error) {
	x := &lexicon{stop: map[string]uint32{}}
	var tasks []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		kind, list, listed := strings.Cut(line, ": ")
		switch newest := len(x.stem) - 1; {
		case line == "" || line[0] == '#':
		case !listed:
			x.stem = append(x.stem, stemmers[line])
		case kind == "compounds":
			x.joins |= 1 << newest
		case kind == "stop":
			for word := range strings.FieldsSeq(list) {
				x.stop[word] |= 1 << newest
			}
		case kind == "wish":
			x.wishes = append(x.wishes, patterns(list)...)
		case kind == "said":
			x.said = append(x.said, patterns(list)...)
		case kind == "task" && kindOf([]rune(list)[0]) == spaced:
			tasks = append(tasks, `(?:^|[^\pL\pN])(?:`+regexp.QuoteMeta(fold(list))+`)(?:$|[^\pL\pN])`)
		case kind == "task":
			tasks = append(tasks, regexp.QuoteMeta(fold(list)))
		default:
			return nil, fmt.Errorf("languages.txt: unknown kind %q", kind)
		}
	}
	x.task = regexp.MustCompile(strings.ReplaceAll(strings.Join(tasks, "|"), `\|`, "|"))
	return x, nil
}

// EnglishStem is the stem of an English word in lower case.
func EnglishStem(word string) string { return stemBy(english.Stem, word) }

// stemBy is the stem of a word, the word itself without a stemmer.
func stemBy(stem func(*snowballstem.Env) bool, word string) string {
	if stem == nil {
		return word
	}
	env := snowballstem.NewEnv(word)
	stem(env)
	return env.Current()
}

// guess is the language in which most of the words are stop words, and otherwise where they do not tell.
func (x *lexicon) guess(words []string, otherwise int) int {
	var votes [32]int
	for _, word := range words {
		for in := x.stop[word]; in != 0; in &= in - 1 {
			votes[bits.TrailingZeros32(in)]++
		}
	}
	best := otherwise
	for l, n := range votes {
		if n > votes[best] && n > 1 {
			best = l
		}
	}
	return best
}

// maxInstruction is how many bytes of a text are looked at for a phrase: nobody hides one behind a pasted file.
const maxInstruction = 2 << 10

// holds reports whether the beginning of a text holds one of some phrases of any language: a short text seldom tells
// its own.
func holds(text string, phrases []string) bool {
	text = sentences(fold(text[:min(len(text), maxInstruction)]))
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(text, phrase) })
}

// withoutTask is a question without the phrases that say what to do with what is found: "sum up", "in a few words". A
// long text is left alone: it says more than what to do.
func (x *lexicon) withoutTask(question string) string {
	if len(question) > maxInstruction {
		return question
	}
	return x.task.ReplaceAllString(fold(question), " , ")
}

// patterns are the phrases of a list as they stand in a result of sentences.
func patterns(list string) []string {
	all := strings.Split(list, "|")
	for i, phrase := range all {
		all[i] = sentences(fold(phrase))
		if phrase[0] != '^' {
			all[i] = all[i][1:]
		}
	}
	return all
}

// sentences is a folded text with a ^ in front of each sentence and one space around each word, and around each
// character of a script without spaces.
func sentences(folded string) string {
	var b strings.Builder
	for sentence := range strings.FieldsFuncSeq(folded, endsSentence) {
		b.WriteString("^ ")
		for _, r := range sentence {
			switch kindOf(r) {
			case between:
				b.WriteByte(' ')
			case spaced:
				b.WriteRune(r)
			default:
				b.WriteString(" " + string(r) + " ")
			}
		}
		b.WriteByte(' ')
	}
	return strings.Join(strings.Fields(b.String()), " ") + " "
}

func endsSentence(r rune) bool { return strings.ContainsRune(".!?:;\n…。！？؟", r) }
