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

// The ranks of a word of the filter. Each is one more where no word of the text begins with it.
const (
	exact       = -1 // the filter is the name of the item
	inLabel     = 0
	lettersOnly = 2 // its letters stand in the label, in their order
	inOther     = 3 // it stands in one of the other texts
)

// labels lets the library read the labels of items.
type labels []Item

func (l labels) String(i int) string { return l[i].Label }
func (l labels) Len() int            { return len(l) }

// matches are the items that fit every word of a filter. Groups keep their order; in a group the best one is first. A
// short list has without a filter the items of its groups alone, and with one no groups.
func matches(items []Item, filter string, short bool) []match {
	left := make([]match, len(items))
	for i := range items {
		left[i].item, left[i].group = i, i
		if i > 0 && items[i].Group == items[i-1].Group {
			left[i].group = left[i-1].group
		}
	}
	words := strings.Fields(filter)
	if len(words) == 0 && short {
		return slices.DeleteFunc(left, func(m match) bool { return items[m.item].Group == "" })
	}
	if len(words) == 0 {
		return left
	}
	for _, word := range words {
		letters := make([][]int, len(items))
		for _, m := range fuzzy.FindFromNoSort(word, labels(items)) {
			letters[m.Index] = m.MatchedIndexes
		}
		fit := left[:0]
		for _, m := range left {
			if c := &items[m.item]; c.Always || m.fits(c, word, letters[m.item]) {
				fit = append(fit, m)
			}
		}
		left = fit
	}
	for i := range left {
		m := &left[i]
		name := items[m.item].Label
		if strings.EqualFold(name, filter) || strings.EqualFold(name[strings.LastIndex(name, "/")+1:], filter) {
			m.rank = exact
		}
		if short {
			m.group = 0
		}
	}
	slices.SortStableFunc(left, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.rank, b.rank))
	})
	return left
}

// fits notes where a word of the filter stands in an item, and says whether it does. Letters are the bytes of the label
// at which those of the word stand, nil for none.
func (m *match) fits(c *Item, word string, letters []int) bool {
	for i, text := range []string{c.Label, c.About, c.Right, c.Also} {
		at, begins := find(text, word)
		switch rank := inOther; {
		case at < 0 && i == 0 && letters != nil:
			m.rank += lettersOnly
		case at < 0:
			continue
		default:
			if i == 0 {
				rank = inLabel
			}
			if !begins {
				rank++
			}
			m.rank += rank
			letters = letters[:0]
			for n := range len(word) {
				letters = append(letters, at+n)
			}
		}
		m.hits[i] = append(m.hits[i], letters...)
		slices.Sort(m.hits[i])
		m.hits[i] = slices.Compact(m.hits[i])
		return true
	}
	return false
}

// find is where a text holds a word, in upper or lower case: the first place where a word of the text begins, else the
// first of all; -1 for none. A text whose length changes with the case is searched as it is.
func find(text, word string) (at int, begins bool) {
	if lower := strings.ToLower(text); len(lower) == len(text) {
		text = lower
	}
	word = strings.ToLower(word)
	first := strings.Index(text, word)
	for at = first; at >= 0; {
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		if at == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return at, true
		}
		next := strings.Index(text[at+1:], word)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return first, false
}
