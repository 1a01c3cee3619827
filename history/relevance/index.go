package relevance

import (
	"slices"
	"strings"
)

// maxIndexed is how many bytes of a text are indexed. That is enough to tell what it is about.
const maxIndexed = 64 << 10

// Text is a text to index.
type Text struct {
	Content     string
	Speaker     string // name of the author, "" if unknown
	MayInstruct bool   // the author may state instructions for all future answers
}

// Index finds the texts that a question is about. Texts are added and removed at the end only. It is not safe for
// concurrent use.
type Index struct {
	*lexicon
	texts  []indexed          // the texts that contain it, oldest first
	terms  map[string]*term   // by stem
	byWord []map[string]*term // for each language, the term of a word; nil for stop words
}

// indexed is what is stored about one text.
type indexed struct {
	language    int
	words       int   // number of words that are not stop words
	instruction bool  // it states an instruction for all future answers
	speaker     *term // the author's name, nil if unknown
}

// term is what words with the same stem share.
type term struct {
	stem  string
	texts []posting // that hold it, the oldest first
}

// posting says how often a text contains a term.
type posting struct{ text, times int32 }

// NewIndex returns an empty index.
func NewIndex() *Index {
	x := &Index{lexicon: languages(), terms: map[string]*term{}}
	for range x.names {
		x.byWord = append(x.byWord, map[string]*term{})
	}
	return x
}

// Len returns the number of texts.
func (x *Index) Len() int { return len(x.texts) }

// IsInstruction reports whether a text states an instruction or a preference for all future answers.
func (x *Index) IsInstruction(text int) bool { return x.texts[text].instruction }

// AsksAboutAnswers reports whether a question is about what the assistant said, such as "which one did you recommend?"
func (x *Index) AsksAboutAnswers(question string) bool { return x.hasPhrase(question, "said") }

// Add indexes the next text.
func (x *Index) Add(t Text) {
	last := 0
	if n := len(x.texts); n > 0 {
		last = x.texts[n-1].language
	}
	list := Words(folded(t.Content))
	text := indexed{language: x.guess(list, last), instruction: t.MayInstruct && x.hasPhrase(t.Content, "instruction")}
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

// speaker returns the author's name, or the word before a colon at the start of the text.
func (t Text) speaker() string {
	name, _, colon := strings.Cut(t.Content, ": ")
	if t.Speaker != "" || !colon || strings.ContainsAny(name, " \n\t") {
		return t.Speaker
	}
	return name
}

// Truncate removes all texts but the first n.
func (x *Index) Truncate(n int) {
	x.texts = x.texts[:n]
	for _, t := range x.terms {
		t.texts = t.texts[:t.before(n)]
	}
}

// folded returns the indexed part of a text, folded.
func folded(text string) string { return fold(text[:min(len(text), maxIndexed)]) }

// term returns the term of a folded word in a language, nil for a stop word.
func (x *Index) term(word string, language int) *term {
	if t, known := x.byWord[language][word]; known {
		return t
	}
	// The word is a slice of a text that may be long. A copy lets that text be collected.
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

// add counts another word of the newest text.
func (t *term) add(text int32) {
	if n := len(t.texts) - 1; n >= 0 && t.texts[n].text == text {
		t.texts[n].times++
		return
	}
	t.texts = append(t.texts, posting{text, 1})
}

// before returns how many of the texts in front of text contain the term.
func (t *term) before(text int) int {
	k, _ := slices.BinarySearchFunc(t.texts, text, func(p posting, text int) int { return int(p.text) - text })
	return k
}
