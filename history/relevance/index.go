package relevance

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// maxIndexed is how many bytes of a text are searched: what a text is about shows in so much.
const maxIndexed = 64 << 10

// maxInstruction is how many bytes of a text are looked at for an instruction: nobody hides one behind a
// pasted file.
const maxInstruction = 2 << 10

// Text is what is to be found.
type Text struct {
	Content string
	Speaker string // the name of who says it, "" where it is not known
	Asks    bool   // by somebody who may state a wish for all answers to come
}

// word is what is known of a word.
type word struct {
	folded string
	stop   uint32   // its languages in which it says nothing, one bit each
	term   uint32   // in the language that it was first met in; 0 is not looked up yet
	lang   language // that language
}

// foreign is a word in another language than it was first met in.
type foreign struct {
	word int32
	lang language
}

// Index finds the texts that a question is about. Texts are added and taken away at the end only. It is not for
// use by several goroutines.
type Index struct {
	*lexicon
	known      map[string]int32 // a word as it is written, in words
	words      []word
	foreign    map[foreign]uint32 // the terms of words in further languages
	terms      map[string]uint32  // a stem's term, from 1
	stems      []string           // by term
	postings   []postings         // by term
	parts      map[string]partners
	lengths    []uint32       // words of each text
	lang       []language     // of each text
	byLanguage []int          // texts of each language
	standing   []bool         // whether each text states something for all answers to come
	speakers   []uint32       // the term of the name of who says each text, 0 where it is not known
	speaking   map[uint32]int // texts of each speaker
	total      int            // words of all texts
	found      []int32        // the words of the text at hand
	held       []uint32       // its terms

	scores, own []float64  // for the question at hand, by text and by unit
	spreads     []float64  // own with the shares of the units around
	marks       [][]uint64 // its terms that many texts hold: a bit for each text, nil for other terms
	order       []int32    // of its units
}

// Len is the number of texts.
func (x *Index) Len() int { return len(x.lang) }

// Standing reports whether a text states a wish or a preference for all answers to come.
func (x *Index) Standing(text int) bool { return x.standing[text] }

// NewIndex is an index without texts.
func NewIndex() *Index {
	x := &Index{lexicon: languages(), known: map[string]int32{}, foreign: map[foreign]uint32{}, terms: map[string]uint32{}, parts: map[string]partners{}, speaking: map[uint32]int{}}
	x.stems, x.postings = make([]string, 1), make([]postings, 1)
	x.byLanguage = make([]int, len(x.stem))
	return x
}

// Add makes the next text findable.
func (x *Index) Add(t Text) {
	text := t.Content
	speaker := int32(-1)
	if name := t.speaker(); name != "" {
		for _, w := range x.split(name)[:min(1, len(x.found))] {
			speaker = w
		}
	}
	words := x.split(text)
	before := language(0)
	if n := len(x.lang); n > 0 {
		before = x.lang[n-1]
	}
	l := x.guess(x.stops(words), before)
	n := uint32(len(x.lang))
	terms := x.termsOf(words, l)
	length := len(terms)
	for len(terms) > 0 {
		times := 1
		for times < len(terms) && terms[times] == terms[0] {
			times++
		}
		x.postings[terms[0]].add(n, uint32(times))
		terms = terms[times:]
	}
	x.lengths, x.lang = append(x.lengths, uint32(length)), append(x.lang, l)
	standing := false
	if t.Asks {
		folded := fold(text[:min(len(text), maxInstruction)])
		standing = x.wishes(folded, l) || x.holds(folded, l, limits)
	}
	x.standing = append(x.standing, standing)
	x.speakers = append(x.speakers, 0)
	if speaker >= 0 {
		x.speakers[n] = x.term(speaker, l)
		x.speaking[x.speakers[n]]++
	}
	x.total += length
	x.byLanguage[l]++
}

// Remove forgets the newest text, which has to be the same as it was when it was added.
func (x *Index) Remove(text string) {
	n := len(x.lang) - 1
	l := x.lang[n]
	for _, t := range slices.Compact(x.termsOf(x.split(text), l)) {
		if list := &x.postings[t]; list.texts > 0 && list.last == uint32(n) {
			list.remove()
		}
	}
	x.total -= int(x.lengths[n])
	if t := x.speakers[n]; t != 0 {
		x.speaking[t]--
	}
	x.byLanguage[l]--
	x.lengths, x.lang, x.standing, x.speakers = x.lengths[:n], x.lang[:n], x.standing[:n], x.speakers[:n]
}

// maxName is how many bytes the name has at most that a text begins with.
const maxName = 40

// speaker is the name of who says a text: the one that is known, or the word in front of a colon that it begins with.
func (t Text) speaker() string {
	if t.Speaker != "" {
		return t.Speaker
	}
	name, _, colon := strings.Cut(t.Content[:min(len(t.Content), maxName)], ": ")
	if !colon || strings.ContainsAny(name, " \n\t") {
		return ""
	}
	return name
}

// split are the words of a text, valid until the next call.
func (x *Index) split(text string) []int32 {
	text = text[:min(len(text), maxIndexed)]
	if !isASCII(text) {
		text = norm.NFKC.String(text)
	}
	x.found = x.found[:0]
	EachWord(text, func(w string) { x.found = append(x.found, x.word(w)) })
	return x.found
}

// word is the place of a word in words.
func (x *Index) word(written string) int32 {
	if w, ok := x.known[written]; ok {
		return w
	}
	// The word is a part of a text that may be long: a copy keeps that text from staying in memory.
	written = strings.Clone(written)
	folded := fold(written)
	if folded == written {
		folded = written
	}
	x.words = append(x.words, word{folded: folded, stop: x.stop[folded]})
	w := int32(len(x.words) - 1)
	x.known[written] = w
	return w
}

// stops are the languages in which each of the words says nothing.
func (x *Index) stops(words []int32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, w := range words {
			if stop := x.words[w].stop; stop != 0 && !yield(stop) {
				return
			}
		}
	}
}

// termsOf are the terms of words of a language that say something, each as often as it is there, sorted. They are valid
// until the next call.
func (x *Index) termsOf(words []int32, l language) []uint32 {
	x.held = x.held[:0]
	for _, w := range words {
		if t := x.term(w, l); t != 0 {
			x.held = append(x.held, t)
		}
	}
	slices.Sort(x.held)
	return x.held
}

// term is the term of a word in a language, 0 where it says nothing.
func (x *Index) term(at int32, l language) uint32 {
	w := &x.words[at]
	if w.stop&(1<<l) != 0 {
		return 0
	}
	if w.term == 0 {
		w.term, w.lang = x.termOf(x.root(w.folded, l), w.folded), l
	}
	if w.lang == l {
		return w.term
	}
	t := x.foreign[foreign{at, l}]
	if t == 0 {
		t = x.termOf(x.root(w.folded, l), w.folded)
		x.foreign[foreign{at, l}] = t
	}
	return t
}

// termOf is the term of the stem of a folded word, in whose memory it may stay.
func (x *Index) termOf(stem, folded string) uint32 {
	if t, ok := x.terms[stem]; ok {
		return t
	}
	t := uint32(len(x.postings))
	if strings.HasPrefix(folded, stem) {
		stem = folded[:len(stem)]
	} else {
		stem = strings.Clone(stem)
	}
	x.terms[stem], x.stems = t, append(x.stems, stem)
	x.postings = append(x.postings, postings{})
	return t
}

// inAny reports whether one of some texts in a row holds a term that few texts hold.
func (x *Index) inAny(t uint32, from, to int) bool {
	list := &x.postings[t]
	c := list.cursor()
	for range list.texts {
		if text, _ := c.next(); int(text) < to {
			return int(text) >= from
		}
	}
	return false
}
