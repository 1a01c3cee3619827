package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A query is read as far as these go; what a person types stays far below.
const (
	maxPhrases = 32
	maxPhrase  = 32 // words
	minOpen    = 3  // letters of an unfinished word: half of all messages have a word that begins with one or two
)

// Query is what somebody looks for: every phrase of it.
type Query []phrase

// phrase is words that are side by side.
type phrase struct {
	words []string
	open  bool // the last word may be the beginning of a longer one
}

// Parse reads a query as it is typed. Words in double quotes are a phrase, and so is what hangs together without a
// space, as in main.go. The last word is the beginning of one from its third letter on, unless something is typed
// behind it. Nothing else has a meaning, so that no text is an error; one without a word is an empty query.
func Parse(text string) Query {
	var q Query
	pieces := strings.Split(text, `"`)
	for i, piece := range pieces {
		chunks := []string{piece}
		if quoted := i%2 == 1; !quoted {
			chunks = strings.FieldsFunc(piece, unicode.IsSpace)
		}
		for j, chunk := range chunks {
			end := i == len(pieces)-1 && j == len(chunks)-1 && strings.HasSuffix(piece, chunk)
			q = q.with(chunk, end)
		}
	}
	return q
}

// with adds the phrase that a text is. end reports whether nothing is typed behind it.
func (q Query) with(text string, end bool) Query {
	all := words(text)
	if len(all) == 0 || len(q) == maxPhrases {
		return q
	}
	if len(all) > maxPhrase {
		all, end = all[:maxPhrase], false
	}
	last := all[len(all)-1]
	p := phrase{open: end && utf8.RuneCountInString(last.text) >= minOpen}
	if last.unspaced {
		// In the text that is looked for the run of characters may go on.
		p.open = utf8.RuneCountInString(last.text) == 1
		if n := len(all); p.open && n > 1 && all[n-2].unspaced && all[n-2].end == last.end {
			all, p.open = all[:n-1], false
		}
	}
	for _, w := range all {
		p.words = append(p.words, w.text)
	}
	return append(q, p)
}

// Match is the query in the language of FTS4. Every word is in quotes and is made of letters and digits alone, so that
// none is taken for an operator.
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

// Match is where a query is in a text.
type Match struct {
	text    string
	words   int     // of the text
	phrases int     // of the query
	places  []place // by their beginnings
}

// place is where a phrase is in a text.
type place struct {
	phrase     int
	start, end int  // in bytes
	whole      bool // its last word is all of a word of the text
}

// Find looks for a query in a text. It reports false where a phrase is missing.
func (q Query) Find(text string) (Match, bool) {
	m := q.match(text)
	missing := len(q) == 0
	for i := range q {
		missing = missing || !slices.ContainsFunc(m.places, func(p place) bool { return p.phrase == i })
	}
	return m, !missing
}

// Marks are where phrases of the query are in a text: byte ranges in order that do not touch.
func (q Query) Marks(text string) [][2]int { return q.match(text).ranges() }

func (q Query) match(text string) Match {
	all := words(text)
	m := Match{text: text, words: len(all), phrases: len(q)}
	for i, p := range q {
		for from := range max(0, len(all)-len(p.words)+1) {
			at := all[from : from+len(p.words)]
			if !p.is(at) {
				continue
			}
			last := at[len(at)-1]
			m.places = append(m.places, place{i, at[0].start, last.end, last.text == p.words[len(p.words)-1]})
		}
	}
	slices.SortStableFunc(m.places, func(a, b place) int { return cmp.Compare(a.start, b.start) })
	return m
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

// ranges are the byte ranges of all places.
func (m Match) ranges() [][2]int {
	all := make([][2]int, len(m.places))
	for i, p := range m.places {
		all[i] = [2]int{p.start, p.end}
	}
	return merged(all)
}

// merged joins ranges that touch each other.
func merged(ranges [][2]int) [][2]int {
	slices.SortFunc(ranges, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var out [][2]int
	for _, r := range ranges {
		if n := len(out); n > 0 && r[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], r[1])
			continue
		}
		out = append(out, r)
	}
	return out
}
