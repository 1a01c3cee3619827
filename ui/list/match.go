package list

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sahilm/fuzzy"
)

// match is an item that the filter leaves.
type match struct {
	item  int
	group int      // the first item of its group
	hits  [][2]int // where the bytes begin and end in its label that the filter found
	rank  int      // the sum of those of all words of the filter; the lower, the better
}

// The ranks of a word of the filter. That of a text is one more where no word of it begins with the filter's.
const (
	exact       = -1 // the filter is the name of the item
	lettersOnly = 2  // its letters stand in the name, in their order
	inOther     = 3  // it stands in one of the other texts
)

// matches are the items that fit every word of a filter. Groups keep their order; in a group the best one is first. A
// short list has without a filter the items of its groups alone, and with one no groups.
func matches(items []Item, filter string, short bool) (left []match) {
	words := strings.Fields(filter)
	named := func(name string) bool { return filter != "" && strings.EqualFold(name, filter) }
	group := 0
	for i, c := range items {
		if c.Group != items[group].Group {
			group = i
		}
		m := match{item: i, group: group}
		if fits := m.rate(&c, words); !fits && !c.Always || short && len(words) == 0 && c.Group == "" {
			continue
		}
		if short && len(words) > 0 {
			m.group = 0
		}
		if named(c.Label) || named(path.Base(c.Label)) || named(c.Value) {
			m.rank = exact
		}
		left = append(left, m)
	}
	slices.SortStableFunc(left, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.rank, b.rank))
	})
	return left
}

// rate notes how well the words of the filter fit an item, and reports whether each of them does.
func (m *match) rate(c *Item, words []string) bool {
	name := c.Label // without what may follow a command
	if strings.HasPrefix(name, "/") {
		name, _, _ = strings.Cut(name, " ")
	}
	for _, word := range words {
		if at, rank := find(c.Label, word); at >= 0 {
			m.hits, m.rank = append(m.hits, [2]int{at, at + len(word)}), m.rank+rank
		} else if found := fuzzy.Find(word, []string{name}); len(found) > 0 {
			for _, i := range found[0].MatchedIndexes {
				m.hits = append(m.hits, [2]int{i, i + 1})
			}
			m.rank += lettersOnly
		} else if at, rank := find(strings.Join([]string{c.Description, c.Right, c.Hidden}, "\n"), word); at >= 0 {
			m.rank += inOther + rank
		} else {
			return false
		}
	}
	return true
}

// find is the first place where a text holds a word, in upper or lower case, -1 for none; and 0 where a word of the
// text begins there, else 1. A text whose length changes with the case is searched as it is.
func find(text, word string) (at, rank int) {
	if lower := strings.ToLower(text); len(lower) == len(text) {
		text = lower
	}
	at = strings.Index(text, strings.ToLower(word))
	before, _ := utf8.DecodeLastRuneInString(text[:max(0, at)])
	if unicode.IsLetter(before) || unicode.IsDigit(before) {
		return at, 1
	}
	return at, 0
}
