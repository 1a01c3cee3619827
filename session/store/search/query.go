package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A query is read as far as these go; what a person types stays far below.
const (
	maxPhrases = 32
	maxPhrase  = 32 // words
)

// Query is what somebody looks for: a text that holds every phrase.
type Query []phrase

// phrase is words that stand side by side.
type phrase struct {
	words []string
	open  bool // the last word may be the beginning of a longer one
}

// queryWord is a word of a query, or where it is open every word that begins with it.
type queryWord struct {
	text string
	open bool
}

// all are the words of a phrase.
func (p phrase) all() []queryWord {
	out := make([]queryWord, len(p.words))
	for i, w := range p.words {
		out[i] = queryWord{w, p.open && i == len(p.words)-1}
	}
	return out
}

// Parse reads a query as it is typed. Words in quotes are a phrase, and so is what hangs together
// without a space, as in main.go. The last word is the beginning of one from its third letter on, unless
// something is typed behind it. Nothing else means anything but its words, and a text without a word is an empty query.
func Parse(text string) Query {
	var q Query
	pieces := strings.Split(text, `"`)
	for i, piece := range pieces {
		end := i == len(pieces)-1 // nothing is typed behind it
		if i%2 == 1 {
			q = q.with(piece, end)
			continue
		}
		chunks := strings.FieldsFunc(piece, unicode.IsSpace)
		for j, chunk := range chunks {
			q = q.with(chunk, end && j == len(chunks)-1 && strings.HasSuffix(piece, chunk))
		}
	}
	return q
}

// with adds the phrase that a text is. open is whether its last word may go on.
func (q Query) with(text string, open bool) Query {
	var p phrase
	var before, last word
	for w := range words(text) {
		if len(p.words) == maxPhrase {
			open = false
			break
		}
		p.words = append(p.words, w.text)
		before, last = last, w
	}
	if len(p.words) == 0 || len(q) == maxPhrases {
		return q
	}
	switch {
	case last.kind == singleChar && before.kind == pair && before.end == last.end:
		// In the text that is looked for the run of characters may go on.
		p.words = p.words[:len(p.words)-1]
	case last.kind == singleChar:
		p.open = true
	case last.kind == plainWord:
		p.open = open && utf8.RuneCountInString(last.text) >= 3 // fewer fit half of all messages
	}
	if slices.ContainsFunc(q, p.same) {
		return q
	}
	return append(q, p)
}

func (p phrase) same(o phrase) bool { return p.open == o.open && slices.Equal(p.words, o.words) }

// Match is the query in the language of the index. Every word is in quotes and is made of
// letters and digits alone, so that none is taken for an operator.
func (q Query) Match() string {
	var phrases []string
	for _, p := range q {
		end := `"`
		if p.open {
			end = `*"`
		}
		phrases = append(phrases, `"`+strings.Join(p.words, " ")+end)
	}
	return strings.Join(phrases, " ")
}

// Occurrence is where a phrase is in a text.
type Occurrence struct {
	phrase     int
	start, end int  // in bytes
	whole      bool // its last word is not merely the beginning of the text's
}

// Places returns all places of the phrases in a text, in order, and how many words the text has.
func (q Query) Places(text string) (all []Occurrence, count int) {
	// The last words read, the newest at count%maxPhrase.
	var recent [maxPhrase]word
	for w := range words(text) {
		recent[count%maxPhrase] = w
		count++
		for i, p := range q {
			first := count - len(p.words)
			if first < 0 || !p.endsWith(w.text) || !p.stands(recent[:], first) {
				continue
			}
			all = append(all, Occurrence{i, recent[first%maxPhrase].start, w.end, p.words[len(p.words)-1] == w.text})
		}
	}
	return all, count
}

// endsWith reports whether a word can be the last of the phrase.
func (p phrase) endsWith(w string) bool {
	last := p.words[len(p.words)-1]
	return w == last || p.open && strings.HasPrefix(w, last)
}

// stands reports whether the words before the last one are those of a text from its word first on.
func (p phrase) stands(ring []word, first int) bool {
	for i, w := range p.words[:len(p.words)-1] {
		if ring[(first+i)%len(ring)].text != w {
			return false
		}
	}
	return true
}

// InAll reports whether every phrase has a place.
func (q Query) InAll(all []Occurrence) bool {
	has := make([]bool, len(q))
	for _, p := range all {
		has[p.phrase] = true
	}
	return !slices.Contains(has, false)
}

// Marks are the places of the phrases in a text: byte ranges in order that do not touch.
func (q Query) Marks(text string) [][2]int {
	all, _ := q.Places(text)
	spans := make([][2]int, len(all))
	for i, at := range all {
		spans[i] = [2]int{at.start, at.end}
	}
	return merged(spans)
}
