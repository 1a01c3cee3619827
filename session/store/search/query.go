package search

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxQuery = 1000 // bytes of a query that are read, far more than people type
	minOpen  = 3    // letters of an incomplete word; half of all messages have a word with any given one or two
)

// Query is a parsed search: phrases that must all occur.
type Query []phrase

// phrase is a sequence of adjacent words.
type phrase struct {
	words []string
	open  bool // the last word may be incomplete
}

// chunks matches the phrases of a query: words in double quotes, and text between spaces.
var chunks = regexp.MustCompile(`"[^"]*"?|[^"\s\v\x{85}\pZ]+`)

// Parse parses a query as the user typed it. Words in double quotes form a phrase, and so does text without a space,
// such as main.go. The last word may be incomplete from its third letter on, unless something follows it. There is no
// other syntax, so every text is valid; a text without words is an empty query.
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

// MatchExpression returns the query as an FTS4 MATCH expression. Each word is quoted and consists only of letters and
// digits, so none is taken for an operator.
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

// Find looks for a query in a text. marks are the matches of its phrases: ascending byte ranges that do not touch.
// found is false if a phrase is missing.
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
	apart := marks[:0] // touching marks are merged
	for _, m := range marks {
		if n := len(apart); n > 0 && m[0] <= apart[n-1][1] {
			apart[n-1][1] = max(apart[n-1][1], m[1])
		} else {
			apart = append(apart, m)
		}
	}
	return apart, found
}

// is reports whether the words at equal the phrase. There must be as many of them.
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
