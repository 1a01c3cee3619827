package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
)

// match is a message that has all phrases, and how often it has each of them.
type match struct {
	id    int64
	often []float64
}

// matcher finds the messages that have every phrase of a query.
type matcher struct {
	words   []matchedWord // every word of the query once, the shortest first
	phrases []wordRun
	members []int64 // the only messages that are looked at, the newest first; nil for all

	starts, others []int // places of a phrase in the message that is looked at
}

// matchedWord is a word of the query.
type matchedWord struct {
	*postings
	runs []wordRun // what of each phrase can be looked for as soon as the messages of this word are known
}

// wordRun is the words of a phrase, the rarest first.
type wordRun []placed

// placed is a word and its place in the phrase.
type placed struct {
	of *postings
	by int
}

func newMatcher(q Query, words []*postings, members []int64) *matcher {
	m := &matcher{members: members}
	of := map[queryWord]*postings{}
	for _, p := range words {
		m.words = append(m.words, matchedWord{postings: p})
		of[p.word] = p
	}
	for _, p := range q {
		var run wordRun
		for i, w := range p.all() {
			run = append(run, placed{of[w], i})
			of[w].shaded = of[w].shaded || len(p.words) > 1
		}
		m.phrases = append(m.phrases, run)
	}
	m.order()
	return m
}

// order puts the rare words before the common ones, so that most messages are out before the common ones are looked at.
func (m *matcher) order() {
	slices.SortStableFunc(m.words, func(a, b matchedWord) int { return a.size - b.size })
	at := map[*postings]int{}
	for i, w := range m.words {
		at[w.postings] = i
	}
	for _, run := range m.phrases {
		slices.SortStableFunc(run, func(a, b placed) int { return at[a.of] - at[b.of] })
		for n := 2; n <= len(run); n++ {
			if n == len(run) || run[n].of != run[n-1].of {
				last := &m.words[at[run[n-1].of]]
				last.runs = append(last.runs, run[:n])
			}
		}
	}
}

// newest returns the newest matches from first to last, the newest first, most of them at most.
func (m *matcher) newest(ctx context.Context, first, last int64, most int) (all []match, err error) {
	for first = max(first, 1); len(all) < most; {
		high, err := m.top(last)
		if err != nil || high < first {
			return all, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		low := max(first, high-window+1)
		have, err := m.matching(low, high)
		if err != nil {
			return nil, err
		}
		have.each(func(i uint) bool {
			var often []float64
			if often, err = m.count(i); err == nil {
				all = append(all, match{low + int64(i), often})
			}
			return err == nil && len(all) < most
		})
		if err != nil {
			return nil, err
		}
		last = low - 1
	}
	return all, nil
}

// top is the newest message up to last that can have all words, 0 for none.
func (m *matcher) top(last int64) (int64, error) {
	if m.members != nil {
		at, _ := slices.BinarySearchFunc(m.members, last, func(id, last int64) int { return cmp.Compare(last, id) })
		if m.members = m.members[at:]; len(m.members) == 0 {
			return 0, nil
		}
		last = min(last, m.members[0])
	}
	for _, w := range m.words {
		newest, err := w.newest(last)
		if err != nil {
			return 0, err
		}
		last = newest // a newer message lacks this word
	}
	return last, nil
}

// matching are the messages from low to high that have all phrases.
func (m *matcher) matching(low, high int64) (have set, err error) {
	for i := range have {
		if m.members == nil {
			have[i] = ^uint64(0)
		}
	}
	for _, id := range m.members {
		if id < low {
			break
		}
		if id <= high {
			have.add(uint(id - low))
		}
	}
	for _, w := range m.words {
		if err := w.fill(low, high, &have); err != nil {
			return have, err
		}
		have = w.in
		for _, run := range w.runs {
			have.each(func(i uint) bool {
				n := 0
				if run.canBe(i) {
					n, err = m.countRun(i, run)
				}
				if n == 0 {
					have.remove(i)
				}
				return err == nil
			})
		}
		if err != nil || have.empty() {
			break // the other words go on where they are
		}
	}
	return have, err
}

// count counts the places of each phrase in a message.
func (m *matcher) count(i uint) ([]float64, error) {
	often := make([]float64, len(m.phrases))
	for n, run := range m.phrases {
		count, err := m.countRun(i, run)
		if err != nil {
			return nil, err
		}
		often[n] = float64(count)
	}
	return often, nil
}

// canBe is false where the words of a phrase do not stand side by side in a message. It is a quick look: where it is
// true, they may not either.
func (run wordRun) canBe(i uint) bool {
	starts := ^uint64(0)
	for _, w := range run {
		starts &= bits.RotateLeft64(w.of.shadows[i], -w.by)
	}
	return starts != 0
}

// countRun counts the places of a phrase in a message: those of its rarest word at which the others stand too.
func (m *matcher) countRun(i uint, run wordRun) (int, error) {
	var err error
	if m.starts, err = run[0].of.places(i, run[0].by, m.starts[:0]); err != nil {
		return 0, err
	}
	for _, w := range run[1:] {
		if len(m.starts) == 0 {
			break
		}
		if m.others, err = w.of.places(i, w.by, m.others[:0]); err != nil {
			return 0, err
		}
		m.starts = common(m.starts, m.others)
	}
	return len(m.starts), nil
}

// common are the numbers of one rising list that are in another.
func common(a, b []int) []int {
	both := a[:0]
	for _, n := range a {
		for len(b) > 0 && b[0] < n {
			b = b[1:]
		}
		if len(b) > 0 && b[0] == n {
			both = append(both, n)
		}
	}
	return both
}
