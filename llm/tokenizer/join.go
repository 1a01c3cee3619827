package tokenizer

import (
	"container/heap"
	"unicode/utf8"
)

// countTokens is how many tokens a text has. A byte that is no text counts as the sign that replaces it in a request.
func countTokens(text string) (n int) {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	for text != "" {
		end := firstWord(text)
		n += tokensOf(text[:end])
		text = text[end:]
	}
	return n
}

// longWord is the length in bytes from which parts are found by a heap instead of by looking at all of them.
const longWord = 96

// tokensOf is how many tokens one word of the pattern has. Byte pair encoding begins with its bytes and joins, again and
// again, the two neighbours that make the token of the lowest rank, the leftmost of equals.
func tokensOf(word string) int {
	switch {
	case len(word) == 1 || rank(word) != noRank:
		return 1
	case len(word) < longWord:
		return joined(word)
	}
	return joinedLong(word)
}

// joined joins the parts of a short word and returns how many are left.
func joined(word string) int {
	var room [longWord + 1]struct {
		start int
		rank  uint32 // of this part and the next as one
	}
	parts := room[:len(word)+1]
	joint := func(i int) uint32 {
		if i+2 >= len(parts) {
			return noRank
		}
		return rank(word[parts[i].start:parts[i+2].start])
	}
	for i := range parts {
		parts[i].start = i
	}
	for i := range parts {
		parts[i].rank = joint(i)
	}
	for {
		lowest := 0
		for i := range parts {
			if parts[i].rank < parts[lowest].rank {
				lowest = i
			}
		}
		if parts[lowest].rank == noRank {
			return len(parts) - 1
		}
		parts = append(parts[:lowest+1], parts[lowest+2:]...)
		parts[lowest].rank = joint(lowest)
		if lowest > 0 {
			parts[lowest-1].rank = joint(lowest - 1)
		}
	}
}

// pairs are pairs of neighbours to join, in the order of their ranks.
type pairs []pair

type pair struct {
	rank  uint32
	start int // of the left part
}

func (p pairs) Len() int { return len(p) }
func (p pairs) Less(i, j int) bool {
	return p[i].rank < p[j].rank || p[i].rank == p[j].rank && p[i].start < p[j].start
}
func (p pairs) Swap(i, j int) { p[i], p[j] = p[j], p[i] }
func (p *pairs) Push(x any)   { *p = append(*p, x.(pair)) }

func (p *pairs) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// joinedLong is joined for a long word: it takes time n log n instead of n².
func joinedLong(word string) int {
	n := len(word)
	part := make([]struct {
		before, end int32
		rank        uint32 // of this part and the next as one, noRank where it is gone
	}, n+1)
	for i := range part {
		part[i].before, part[i].end = int32(i-1), int32(i+1)
	}
	var todo pairs
	rate := func(i int) bool {
		part[i].rank = noRank
		if end := int(part[i].end); end < n {
			part[i].rank = rank(word[i:part[end].end])
		}
		return part[i].rank != noRank
	}
	for i := range n {
		if rate(i) {
			todo = append(todo, pair{part[i].rank, i})
		}
	}
	heap.Init(&todo)
	left := n
	for len(todo) > 0 {
		first := todo[0]
		i := first.start
		if part[i].rank != first.rank { // it was joined otherwise since
			heap.Pop(&todo)
			continue
		}
		gone := part[i].end
		part[i].end = part[gone].end
		part[gone].rank = noRank
		if int(part[i].end) < n {
			part[part[i].end].before = int32(i)
		}
		left--
		// The pair that was joined becomes the one of the joined part and the next.
		if rate(i) {
			todo[0].rank = part[i].rank
			heap.Fix(&todo, 0)
		} else {
			heap.Pop(&todo)
		}
		if before := part[i].before; before >= 0 && rate(int(before)) {
			heap.Push(&todo, pair{part[before].rank, int(before)})
		}
	}
	return left
}
