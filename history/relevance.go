package history

import (
	"container/heap"
	"iter"
	"math"
	"slices"
)

// The rules of relevance. BM25 with its usual constants finds the texts that a question is about.
// What was said around such a text often holds the answer, so that neighbours share its score; long
// texts hold many words by chance and cost much room; and a wish for all answers to come is meant to
// be remembered.
const (
	bmSaturation = 1.2 // k1: how soon more of the same word says no more
	bmLength     = 0.75
	spreadReach  = 5   // messages before and after
	spreadShare  = 0.5 // of the score, for each step
	shortText    = 100 // tokens up to which a text is not judged by its length
	wishBonus    = 0.2 // of the best score: such words are often said in passing
)

// relevance says how much each unit is about a question.
type relevance struct {
	clues   []clue
	units   []scoredUnit // in the order of the conversation
	scratch *scratch     // nil where nothing is relevant
}

// scoredUnit is a tool group or a single message, with how much it is about a question: 1 is the
// best, 0 has nothing to do with it.
type scoredUnit struct {
	span
	score float64
}

// scratch is what judging a thread needs each time: a long conversation is judged with every key.
type scratch struct {
	scores, own []float64
	units, heap []scoredUnit
	sizes       []int
}

// relevant judges a thread by a question; the judgement is valid until the next question. Without a word
// that says something, or that anybody said, nothing is relevant.
func (t *thread) relevant(question string) relevance {
	x := t.searchable()
	r := relevance{clues: x.lookUp(question)}
	if len(r.clues) == 0 {
		return r
	}
	s := &t.scratch
	s.scores = x.match(r.clues, s.scores)
	t.units(s)
	s.spread()
	best := 0.0
	for k := range s.units {
		u := &s.units[k]
		u.score /= math.Sqrt(float64(max(shortText, s.sizes[k])))
		best = max(best, u.score)
	}
	if best == 0 {
		return r
	}
	for k := range s.units {
		u := &s.units[k]
		if u.score /= best; x.wish[u.from] {
			u.score += wishBonus
		}
	}
	r.units, r.scratch = s.units, s
	return r
}

// units finds a thread's tool groups and single messages, each with the best of its scores, and their
// tokens.
func (t *thread) units(s *scratch) {
	s.units, s.sizes = s.units[:0], s.sizes[:0]
	for i, score := range s.scores {
		last := len(s.units) - 1
		if i == 0 || t.views[i].group != t.views[i-1].group {
			s.units, s.sizes = append(s.units, scoredUnit{span: span{i, i}}), append(s.sizes, 0)
			last++
		}
		s.units[last].to, s.units[last].score = i+1, max(s.units[last].score, score)
		s.sizes[last] += t.views[i].tokens
	}
}

// searchable is the index of all views.
func (t *thread) searchable() *index {
	if t.index == nil {
		t.index = newIndex()
	}
	for i := len(t.index.lang); i < len(t.views); i++ {
		t.index.add(t.views[i].spoken(), t.views[i].Role == User)
	}
	return t.index
}

// spoken is all that a view says: its text with its calls.
func (v *view) spoken() string {
	if len(v.ToolCalls) == 0 {
		return v.Content
	}
	return v.Message.TextWithCalls()
}

// unsearch takes the views from index kept on out of the index.
func (t *thread) unsearch(kept int) {
	if t.index == nil {
		return
	}
	for i := len(t.index.lang) - 1; i >= kept; i-- {
		t.index.remove(t.views[i].spoken())
	}
}

// match is the BM25 score of each text, in a slice that it may take.
func (x *index) match(clues []clue, scores []float64) []float64 {
	n := float64(len(x.lang))
	average := max(1, float64(x.total)/max(1, n))
	scores = slices.Grow(scores[:0], len(x.lang))[:len(x.lang)]
	clear(scores)
	for _, c := range clues {
		list := x.postings[c.term]
		df := float64(len(list))
		idf := c.weight * math.Log(1+(n-df+0.5)/(df+0.5))
		for _, p := range list {
			times := float64(p.times)
			scores[p.text] += idf * times * (bmSaturation + 1) / (times + bmSaturation*(1-bmLength+bmLength*float64(x.lengths[p.text])/average))
		}
	}
	return scores
}

// spread gives each unit a share of the scores around it.
func (s *scratch) spread() {
	s.own = s.own[:0]
	for _, u := range s.units {
		s.own = append(s.own, u.score)
	}
	for k, share := range s.own {
		if share == 0 {
			continue
		}
		for d := 1; d <= spreadReach; d++ {
			share *= spreadShare
			if k-d >= 0 {
				s.units[k-d].score += share
			}
			if k+d < len(s.units) {
				s.units[k+d].score += share
			}
		}
	}
}

// ranked are the relevant units, the most relevant first, of equals the newer. They come one by one:
// few of many are taken.
func (r relevance) ranked() iter.Seq[span] {
	return func(yield func(span) bool) {
		if r.scratch == nil {
			return
		}
		h := unitHeap(r.scratch.heap[:0])
		for _, u := range r.units {
			if u.score > 0 {
				h = append(h, u)
			}
		}
		r.scratch.heap = h
		for heap.Init(&h); len(h) > 0; {
			if u := heap.Pop(&h).(scoredUnit); !yield(u.span) {
				return
			}
		}
	}
}

// unitHeap has the most relevant unit first.
type unitHeap []scoredUnit

func (h unitHeap) Len() int { return len(h) }
func (h unitHeap) Less(i, j int) bool {
	if h[i].score != h[j].score {
		return h[i].score > h[j].score
	}
	return h[i].from > h[j].from
}
func (h unitHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *unitHeap) Push(x any)   { *h = append(*h, x.(scoredUnit)) }
func (h *unitHeap) Pop() any {
	last := len(*h) - 1
	u := (*h)[last]
	*h = (*h)[:last]
	return u
}

// mostShared is how many words of a question a reason names.
const mostShared = 3

// shared are the words of the question that a unit holds, the rarest first.
func (r relevance) shared(x *index, u span) []string {
	var found []clue
	for _, c := range r.clues {
		if x.holds(c.term, u) {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b clue) int { return len(x.postings[a.term]) - len(x.postings[b.term]) })
	var words []string
	for _, c := range found {
		if !slices.Contains(words, c.word) && len(words) < mostShared {
			words = append(words, c.word)
		}
	}
	return words
}
