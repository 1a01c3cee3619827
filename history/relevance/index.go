package relevance

import (
	"slices"
	"strings"
)

// maxIndexed is how many bytes of a text are searched: what a text is about shows in so much.
const maxIndexed = 64 << 10

// Text is what is to be found.
type Text struct {
	Content string
	Speaker string // the name of who says it, "" where it is not known
	Asks    bool   // by somebody who may state a wish for all answers to come
}

// Index finds the texts that a question is about. Texts are added and taken away at the end only. It is not for use by
// several goroutines.
type Index struct {
	*lexicon
	texts   []indexed
	total   int                // words of all texts
	stems   map[string]*term   // every term by its stem
	terms   []*term            // the same in the order in which they were met
	written []map[string]*term // by language: the term of a word, nil where it says nothing
}

// indexed is what is known of one text.
type indexed struct {
	language int
	words    int   // that say something
	standing bool  // it states a wish or a preference for all answers to come
	speaker  *term // the name of who says it, nil where it is not known
}

// term is what words with one stem have in common.
type term struct {
	stem  string
	texts []posting // that hold it, the oldest first
}

// posting says how often a text holds a term.
type posting struct{ text, times int32 }

// NewIndex is an index without texts.
func NewIndex() *Index {
	x := &Index{lexicon: languages(), stems: map[string]*term{}}
	for range x.stem {
		x.written = append(x.written, map[string]*term{})
	}
	return x
}

// Len is the number of texts.
func (x *Index) Len() int { return len(x.texts) }

// Standing reports whether a text states a wish or a preference for all answers to come.
func (x *Index) Standing(text int) bool { return x.texts[text].standing }

// AsksWhatWasSaid reports whether a question asks for what the assistant said: "which one did you recommend?"
func (x *Index) AsksWhatWasSaid(question string) bool { return holds(question, x.said) }

// Add makes the next text findable.
func (x *Index) Add(t Text) {
	before := 0
	if n := len(x.texts); n > 0 {
		before = x.texts[n-1].language
	}
	list := words(t.Content)
	text := indexed{language: x.guess(list, before), standing: t.Asks && holds(t.Content, x.wishes)}
	for _, word := range list {
		if term := x.term(word, text.language); term != nil {
			term.add(int32(len(x.texts)))
			text.words++
		}
	}
	if name := words(t.speaker()); len(name) > 0 {
		text.speaker = x.term(name[0], text.language)
	}
	x.texts = append(x.texts, text)
	x.total += text.words
}

// maxName is how many bytes the name has at most that a text begins with.
const maxName = 40

// speaker is the name of who says a text: the one that is known, or the word in front of a colon that it begins with.
func (t Text) speaker() string {
	name, _, colon := strings.Cut(t.Content[:min(len(t.Content), maxName)], ": ")
	if t.Speaker != "" || !colon || strings.ContainsAny(name, " \n\t") {
		return t.Speaker
	}
	return name
}

// Truncate forgets all texts but the first n.
func (x *Index) Truncate(n int) {
	for _, text := range x.texts[n:] {
		x.total -= text.words
	}
	x.texts = x.texts[:n]
	for _, t := range x.terms {
		for k := len(t.texts) - 1; k >= 0 && int(t.texts[k].text) >= n; k-- {
			t.texts = t.texts[:k]
		}
	}
}

// words are the folded words of a text.
func words(text string) []string {
	var list []string
	EachWord(fold(text[:min(len(text), maxIndexed)]), func(word string) { list = append(list, word) })
	return list
}

// term is the term of a folded word in a language, nil where it says nothing.
func (x *Index) term(word string, l int) *term {
	if t, known := x.written[l][word]; known {
		return t
	}
	// The word is a part of a text that may be long: a copy keeps that text from staying in memory.
	word = strings.Clone(word)
	var t *term
	if x.stop[word]&(1<<l) == 0 {
		t = x.termOf(stemBy(x.stem[l], word))
	}
	x.written[l][word] = t
	return t
}

// termOf is the term of a stem.
func (x *Index) termOf(stem string) *term {
	t := x.stems[stem]
	if t == nil {
		t = &term{stem: stem}
		x.stems[stem] = t
		x.terms = append(x.terms, t)
	}
	return t
}

// add counts one more word of the newest text.
func (t *term) add(text int32) {
	if n := len(t.texts) - 1; n >= 0 && t.texts[n].text == text {
		t.texts[n].times++
		return
	}
	t.texts = append(t.texts, posting{text, 1})
}

// in reports whether one of the texts from one on up to another holds the term.
func (t *term) in(from, to int) bool {
	k, _ := slices.BinarySearchFunc(t.texts, from, func(p posting, text int) int { return int(p.text) - text })
	return k < len(t.texts) && int(t.texts[k].text) < to
}
