package picker

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// match is a choice that a filter leaves.
type match struct {
	choice int   // its index
	label  []int // the bytes of its label that the filter found
	about  []int // and of what is said about it
	right  []int // and of its right end
	rank   int   // the lower, the better
	group  string
}

// The ranks of a match.
const (
	labelBegins = iota // the label, or a word of it, begins with the filter
	labelHolds         // the letters of the filter stand in the label, in their order
	aboutBegins        // a word of what is said about it, or of its right end, begins with the filter
	aboutHolds         // the filter stands inside of one of them
	wordsApart         // each word of the filter stands somewhere in the line
)

// matches are the choices that a filter leaves. Groups keep their order; in a group the best match comes first. If the
// first group leads, what is not found there by its label stands in the second one.
func matches(choices []Choice, filter string, leads bool) []match {
	list := make([]match, 0, len(choices))
	if filter == "" {
		for i := range choices {
			list = append(list, match{choice: i, group: choices[i].Group})
		}
		return list
	}
	found := map[int]bool{}
	for _, m := range fuzzy.FindFrom(filter, labels(choices)) {
		next := match{choice: m.Index, label: m.MatchedIndexes, rank: labelHolds}
		if at, begins := find(choices[m.Index].Label, filter); begins {
			next.label, next.rank = span(at, len(filter)), labelBegins
		}
		list, found[m.Index] = append(list, next), true
	}
	for i, c := range choices {
		if found[i] {
			continue
		}
		if next, ok := besideLabel(c, filter); ok {
			next.choice = i
			list = append(list, next)
		}
	}
	number, names := groups(choices)
	place := func(m match) int {
		if at := number[m.choice]; !leads || at > 0 || len(names) < 2 || m.rank <= labelHolds {
			return at
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b match) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.rank, b.rank))
	})
	for i := range list {
		list[i].group = names[place(list[i])]
	}
	return list
}

// besideLabel finds a filter in what is said about a choice, in its right end, or its words anywhere in the line.
func besideLabel(c Choice, filter string) (m match, ok bool) {
	if at, begins := find(c.About, filter); at >= 0 {
		m.about, m.rank = span(at, len(filter)), aboutHolds
		if begins {
			m.rank = aboutBegins
		}
		return m, true
	}
	if at, begins := find(c.Right, filter); at >= 0 {
		m.right, m.rank = span(at, len(filter)), aboutHolds
		if begins {
			m.rank = aboutBegins
		}
		return m, true
	}
	if at, _ := find(c.Also, filter); at >= 0 {
		m.rank = aboutHolds
		return m, true
	}
	m.rank = wordsApart
	for _, word := range strings.Fields(filter) {
		ok = false
		for _, part := range []struct {
			text string
			hits *[]int
		}{{c.Label, &m.label}, {c.About, &m.about}, {c.Right, &m.right}} {
			if at, _ := find(part.text, word); at >= 0 {
				*part.hits = append(*part.hits, span(at, len(word))...)
				ok = true
			}
		}
		if !ok {
			return m, false
		}
	}
	for _, hits := range []*[]int{&m.label, &m.about, &m.right} {
		slices.Sort(*hits)
		*hits = slices.Compact(*hits)
	}
	return m, ok
}

// groups numbers the groups of choices, by choice, and names them.
func groups(choices []Choice) (of []int, names []string) {
	of = make([]int, len(choices))
	for i, c := range choices {
		if i == 0 || c.Group != choices[i-1].Group {
			names = append(names, c.Group)
		}
		of[i] = len(names) - 1
	}
	return of, names
}

// find is where a text holds a filter, upper or lower case: the first beginning of a word, else the first place; -1 for
// none. Texts whose length changes with the case are searched as they are.
func find(text, filter string) (at int, begins bool) {
	if lower := strings.ToLower(text); len(lower) == len(text) {
		text = lower
	}
	if lower := strings.ToLower(filter); len(lower) == len(filter) {
		filter = lower
	}
	first := -1
	for from := 0; from <= len(text); {
		i := strings.Index(text[from:], filter)
		if i < 0 {
			break
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return i, true
		}
		if first < 0 {
			first = i
		}
		from = i + 1
	}
	return first, false
}

// span is the bytes from at on.
func span(at, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = at + i
	}
	return list
}

// labels lets the filter read choices.
type labels []Choice

func (l labels) String(i int) string { return l[i].Label }
func (l labels) Len() int            { return len(l) }
