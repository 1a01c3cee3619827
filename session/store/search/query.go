package search

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxQuery = 1000 // bytes of a query that are read; what a person types stays far below
	minOpen  = 3    // letters of an unfinished word: half of all messages have a word that begins with one or two
)

// Query is what somebody looks for: every phrase of it.
type Query []phrase

// phrase is words that are side by side.
type phrase struct {
	words []string
	open  bool // the last word may be the beginning of a longer one
}

// chunks are what hangs together in a query: words in double quotes, and what stands between two spaces.
var chunks = regexp.MustCompile(`"[^"]*"?|[^"\s\v\x{85}\pZ]+`)

// Parse reads a query as it is typed. Words in double quotes are a phrase, and so is what hangs together without a
// space, as in main.go. The last word is the beginning of one from its third letter on, unless something is typed
// behind it. Nothing else has a meaning, so that no text is an error; one without a word is an empty query.
func Parse(text string) (q Query) {
	text = text[:runeStart(text, maxQuery)]
	for _, at := range chunks.FindAllStringIndex(text, -1) {
		var p phrase
		last := ""
		for _, w := range words(text[at[0]:at[1]]) {
			last = w.text
			p.words = append(p.words, last)
		}
		p.open = at[1] == len(text) && text[at[1]-1] != '"' && utf8.RuneCountInString(last) >= minOpen
		if last != "" {
			q = append(q, p)
		}
	}
	return q
}

// MatchExpression is the query in the language of FTS4. Every word is in quotes and is made of letters and digits alone, so that
// none is taken for an operator.
func (q Query) MatchExpression() string {
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

// Find looks for a query in a text. Marks are where its phrases are: byte ranges in order that do not touch. It reports
// false where a phrase is missing.
func (q Query) Find(text string) (marks [][2]int, found bool) {
	all := words(text)
	found = len(q) > 0
	for _, p := range q {
		before := len(marks)
		for from := range max(0, len(all)-len(p.words)+1) {
			if at := all[from : from+len(p.words)]; p.is(at) {
				marks = append(marks, [2]int{at[0].start, at[len(at)-1].end})
			}
		}
		found = found && len(marks) > before
	}
	slices.SortFunc(marks, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	apart := marks[:0] // those that touch each other are one
	for _, m := range marks {
		if n := len(apart); n > 0 && m[0] <= apart[n-1][1] {
			apart[n-1][1] = max(apart[n-1][1], m[1])
		} else {
			apart = append(apart, m)
		}
	}
	return apart, found
}

// is reports whether as many words of a text are the phrase.
func (p phrase) is(at []word) bool {
	for i, want := range p.words {
		got := at[i].text
		open := p.open && i == len(p.words)-1
		if got != want && !(open && strings.HasPrefix(got, want)) {
			return false
		}
	}
	return true
}
