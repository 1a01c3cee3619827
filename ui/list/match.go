package list

import (
	"cmp"
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
	hits  [4][]int // the bytes that the filter found in its label, About, Right and Also
	rank  int      // the sum of those of all words of the filter; the lower, the better
}

// The ranks of a word of the filter. That of a text is one more where no word of it begins with the filter's.
const (
	exact       = -1 // the filter is the name of the item
	inLabel     = 0
	lettersOnly = 2 // its letters stand in the name, in their order
	inOther     = 3 // it stands in one of the other texts
)

// matches are the items that fit every word of a filter. Groups keep their order; in a group the best one is first. A
// short list has without a filter the items of its groups alone, and with one no groups.
func matches(items []Item, filter string, short bool) (left []match) {
	words := strings.Fields(filter)
	group := 0
	for i := range items {
		if items[i].Group != items[group].Group {
			group = i
		}
		m := match{item: i, group: group}
		misses := func(word string) bool { return !m.fits(&items[i], word) }
		switch {
		case len(words) == 0 && short && items[i].Group == "":
			continue
		case !items[i].Always && slices.ContainsFunc(words, misses):
			continue
		case len(words) > 0 && short:
			m.group = 0
		}
		name := items[i].name()
		named := strings.EqualFold(name, filter) || strings.EqualFold(name[strings.LastIndex(name, "/")+1:], filter)
		if named && filter != "" {
			m.rank = exact
		}
		left = append(left, m)
	}
	slices.SortStableFunc(left, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.rank, b.rank))
	})
	return left
}

// name is the label, without what may follow a command.
func (c *Item) name() string {
	if name, _, _ := strings.Cut(c.Label, " "); strings.HasPrefix(name, "/") {
		return name
	}
	return c.Label
}

// fits notes where a word of the filter stands in an item, and says whether it does.
func (m *match) fits(c *Item, word string) bool {
	for i, text := range []string{c.Label, c.About, c.Right, c.Also} {
		at, rank := find(text, word)
		var letters []int
		for n := range word {
			letters = append(letters, at+n)
		}
		if i > 0 {
			rank += inOther
		}
		if at < 0 {
			if i > 0 {
				continue
			}
			found := fuzzy.Find(word, []string{c.name()})
			if len(found) == 0 {
				continue
			}
			letters, rank = found[0].MatchedIndexes, lettersOnly
		}
		m.rank += rank
		m.hits[i] = slices.Compact(slices.Sorted(slices.Values(append(m.hits[i], letters...))))
		return true
	}
	return false
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
