package relevance

import (
	"slices"
	"strings"
)

// maxIndexed is how many bytes of a text are searched: what a text is about shows in so much.
const maxIndexed = 64 << 10

// Text is what is to be found.
type Text struct {
	Content     string
	Speaker     string // the name of who says it, "" where it is not known
	MayInstruct bool   // by somebody who may state a wish for all answers to come
}

// Index finds the texts that a question is about. Texts are added and taken away at the end only. It is not for use by
// several goroutines.
type Index struct {
	*lexicon
	texts  []indexed
	terms  map[string]*term   // by their stems
	byWord []map[string]*term // by language: the term of a word, nil where it says nothing
}

// indexed is what is known of one text.
type indexed struct {
	language    int
	words       int   // that say something
	instruction bool  // it states a wish or a preference for all answers to come
	speaker     *term // the name of who says it, nil where it is not known
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
	x := &Index{lexicon: languages(), terms: map[string]*term{}}
	for range x.names {
		x.byWord = append(x.byWord, map[string]*term{})
	}
	return x
}

// Len is the number of texts.
func (x *Index) Len() int { return len(x.texts) }

// Standing reports whether a text states a wish or a preference for all answers to come.
func (x *Index) IsInstruction(text int) bool { return x.texts[text].instruction }

// AsksWhatWasSaid reports whether a question asks for what the assistant said: "which one did you recommend?"
func (x *Index) AsksAboutAnswers(question string) bool { return x.hasPhrase(question, "said") }

// Add makes the next text findable.
func (x *Index) Add(t Text) {
	before := 0
	if n := len(x.texts); n > 0 {
		before = x.texts[n-1].language
	}
	list := Words(folded(t.Content))
	text := indexed{language: x.guess(list, before), instruction: t.MayInstruct && x.hasPhrase(t.Content, "wish")}
	for _, word := range list {
		if term := x.term(word, text.language); term != nil {
			term.add(int32(len(x.texts)))
			text.words++
		}
	}
	if name := Words(folded(t.speaker())); len(name) > 0 {
		text.speaker = x.term(name[0], text.language)
	}
	x.texts = append(x.texts, text)
}

// speaker is the name of who says a text: the one that is known, or the word in front of a colon that it begins with.
func (t Text) speaker() string {
	name, _, colon := strings.Cut(t.Content, ": ")
	if t.Speaker != "" || !colon || strings.ContainsAny(name, " \n\t") {
		return t.Speaker
	}
	return name
}

// Truncate forgets all texts but the first n.
func (x *Index) Truncate(n int) {
	x.texts = x.texts[:n]
	for _, t := range x.terms {
		t.texts = t.texts[:t.before(n)]
	}
}

// folded is the part of a text that is searched, folded.
func folded(text string) string { return fold(text[:min(len(text), maxIndexed)]) }

// term is the term of a folded word in a language, nil where it says nothing.
func (x *Index) term(word string, language int) *term {
	if t, known := x.byWord[language][word]; known {
		return t
	}
	// The word is a part of a text that may be long: a copy keeps that text from staying in memory.
	word = strings.Clone(word)
	var t *term
	if x.stop[word]&(1<<language) == 0 {
		stem := Stem(word, x.names[language])
		if t = x.terms[stem]; t == nil {
			t = &term{stem: stem}
			x.terms[stem] = t
		}
	}
	x.byWord[language][word] = t
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

// before is how many of the texts in front of one hold the term.
func (t *term) before(text int) int {
	k, _ := slices.BinarySearchFunc(t.texts, text, func(p posting, text int) int { return int(p.text) - text })
	return k
}
