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

// match is an item that matches the filter.
type match struct {
	item  int
	group int      // index of the first item of its group
	hits  [][2]int // byte ranges of the label that match
	rank  int      // sum over the words of the filter; lower is better
}

// Ranks of a word of the filter. A match within a word ranks one higher than one at its beginning.
const (
	exact       = -1 // the filter is the name of the item
	lettersOnly = 2  // the name has its letters in order
	inOther     = 3  // another text has it
)

// matches returns the items that match every word of a filter. Groups keep their order; within a group the best match
// is first. With short, see Options.GroupsFirst.
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

// rate computes rank and hits of an item, and reports whether it matches all words.
func (m *match) rate(c *Item, words []string) bool {
	name := c.Label // without the arguments of a command
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

// find returns the first byte offset of a word in a text, ignoring case, or -1; rank is 0 at the beginning of a word of
// the text, else 1.
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
