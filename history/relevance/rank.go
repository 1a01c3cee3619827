package relevance

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// The rules of relevance. BM25 with its usual constants finds the texts that a question is about.
// What was said around such a text often holds the answer, so that neighbours share its score; long
// texts hold many words by chance and cost much; a wish for all answers to come is meant to be remembered; and
// who is named is asked about.
const (
	bmSaturation  = 1.2 // k1: how soon more of the same word says no more
	bmLength      = 0.75
	spreadReach   = 5   // messages before and after
	spreadShare   = 0.5 // of the score, for each step
	shortText     = 100 // tokens up to which a text is not judged by its length
	pauseShare    = 0.5 // of the share of a neighbour on the other side of a pause: most of what is said there is about something else
	speakerWeight = 1.5 // of the score of a text whose speaker the question names
	standingBonus = 0.2 // of the best score
)

// Unit is a run of texts that belong together, such as a tool group, and how much it is about a question.
type Unit struct {
	From, To int     // half-open, by the texts' order in the index
	Tokens   int     // what the unit costs whole
	Apart    bool    // a pause stands in front of the unit: most of what was said before it is about something else
	Score    float64 // 1 is the best that shares a word with the question, 0 has nothing to do with it
}

// Ranking says how much each unit is about a question. It is valid until the next question to its index.
type Ranking struct {
	Units []Unit // in the order of the texts; empty where nothing is relevant
	index *Index
	terms []queryTerm
}

// Rank scores units by a question; they have to be all texts of the index, in order. It writes into units.
// Without a word that says something, or that any text has, nothing is relevant.
func (x *Index) Rank(question string, units []Unit) Ranking {
	r := Ranking{index: x, terms: x.query(question)}
	if len(r.terms) == 0 {
		return r
	}
	x.scores = x.match(r.terms, x.scores)
	for k := range units {
		u := &units[k]
		u.Score = slices.Max(x.scores[u.From:u.To])
	}
	x.spread(units)
	named := r.named()
	best := 0.0
	for k := range units {
		u := &units[k]
		u.Score /= math.Sqrt(float64(max(shortText, u.Tokens)))
		if len(named) > 0 && slices.Contains(named, x.speakers[u.From]) {
			u.Score *= speakerWeight
		}
		best = max(best, u.Score)
	}
	if best == 0 {
		return r
	}
	for k := range units {
		u := &units[k]
		if u.Score /= best; x.Standing(u.From) {
			u.Score += standingBonus
		}
	}
	r.Units = units
	return r
}

// named are the terms of the question that are names of speakers.
func (r Ranking) named() []uint32 {
	var list []uint32
	for _, q := range r.terms {
		if q.weight == 1 && r.index.speaking[q.term] > 0 {
			list = append(list, q.term)
		}
	}
	return list
}

// Hit is a text that holds words of a question.
type Hit struct {
	Text  int     // its number in the index
	Score float64 // by BM25
	Share float64 // 0 to 1: how much of the question it holds, each word weighted by its rarity
}

// Search lists the texts that hold words of a question, the best first. Unlike Rank it looks at each text by itself.
func (x *Index) Search(question string) []Hit {
	n, average := float64(x.Len()), float64(x.total)/max(1, float64(x.Len()))
	hits := make([]Hit, x.Len())
	whole, seen := 0.0, map[string]bool{}
	for _, r := range x.roots(question) {
		if seen[r.stem] {
			continue
		}
		seen[r.stem] = true
		list := &x.postings[x.terms[r.stem]] // A word that no text holds has the term 0, without texts.
		rarity := Rarity(float64(list.texts), n)
		whole += rarity
		c := list.cursor()
		for range list.texts {
			text, times := c.next()
			hits[text].Score += BM25(rarity, float64(times), float64(x.lengths[text]), average)
			hits[text].Share += rarity
		}
	}
	for i := range hits {
		hits[i].Text = i
		hits[i].Share /= whole
	}
	hits = slices.DeleteFunc(hits, func(h Hit) bool { return h.Score == 0 })
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// match is the BM25 score of each text, in a slice that it may take.
func (x *Index) match(terms []queryTerm, scores []float64) []float64 {
	n := float64(len(x.lang))
	average := max(1, float64(x.total)/max(1, n))
	scores = slices.Grow(scores[:0], len(x.lang))[:len(x.lang)]
	clear(scores)
	x.marks = slices.Grow(x.marks[:0], len(terms))[:len(terms)]
	for k, q := range terms {
		list := &x.postings[q.term]
		rarity := q.weight * Rarity(float64(list.texts), n)
		marks := x.marks[k][:0]
		if list.texts > fewTexts {
			marks = slices.Grow(marks, len(x.lang)/64+1)[:len(x.lang)/64+1]
			clear(marks)
		}
		c := list.cursor()
		for range list.texts {
			text, times := c.next()
			scores[text] += BM25(rarity, float64(times), float64(x.lengths[text]), average)
			if len(marks) > 0 {
				marks[text/64] |= 1 << (text % 64)
			}
		}
		x.marks[k] = marks
	}
	return scores
}

// fewTexts is how many texts are looked through for one of them. The texts of a term that more of them hold are marked.
const fewTexts = 512

// BM25 is what a term of some rarity adds to the score of a text of some length that holds it so many times.
func BM25(rarity, times, length, average float64) float64 {
	return rarity * times * (bmSaturation + 1) / (times + bmSaturation*(1-bmLength+bmLength*length/average))
}

// Rarity is the weight of a term that so many of all texts hold: the fewer, the more it says.
func Rarity(texts, all float64) float64 {
	return math.Log(1 + (all-texts+0.5)/(texts+0.5))
}

// spread gives each unit a share of the scores around it.
func (x *Index) spread(units []Unit) {
	// The scores are added up in a slice of their own: the units lie five times as far apart.
	x.own = slices.Grow(x.own[:0], len(units))[:len(units)]
	for k := range units {
		x.own[k] = units[k].Score
	}
	x.spreads = append(x.spreads[:0], x.own...)
	for k, own := range x.own {
		if own == 0 {
			continue
		}
		before, after := own, own
		for d := 1; d <= spreadReach; d++ {
			before *= spreadShare
			after *= spreadShare
			if k-d >= 0 {
				if units[k-d+1].Apart {
					before *= pauseShare
				}
				x.spreads[k-d] += before
			}
			if k+d < len(units) {
				if units[k+d].Apart {
					after *= pauseShare
				}
				x.spreads[k+d] += after
			}
		}
	}
	for k := range units {
		units[k].Score = x.spreads[k]
	}
}

// Best yields the relevant units, the most relevant first, of equals the newer. They come one by one: few of
// many are taken.
func (r Ranking) Best() iter.Seq[Unit] {
	return func(yield func(Unit) bool) {
		if len(r.Units) == 0 {
			return
		}
		h := unitHeap{r.Units, r.index.order[:0]}
		for k := range r.Units {
			if r.Units[k].Score > 0 {
				h.order = append(h.order, int32(k))
			}
		}
		r.index.order = h.order
		for k := len(h.order)/2 - 1; k >= 0; k-- {
			h.sink(k)
		}
		for len(h.order) > 0 {
			best := h.units[h.order[0]]
			last := len(h.order) - 1
			h.order[0], h.order = h.order[last], h.order[:last]
			h.sink(0)
			if !yield(best) {
				return
			}
		}
	}
}

// unitHeap is a binary heap of the indexes of units with the most relevant unit first. That of the standard library
// takes twice the time for the many units of a long conversation.
type unitHeap struct {
	units []Unit
	order []int32
}

// before reports whether one unit comes before another.
func (h *unitHeap) before(i, j int32) bool {
	a, b := &h.units[i], &h.units[j]
	if a.Score != b.Score {
		return a.Score > b.Score
	}
	return a.From > b.From
}

// sink moves the unit at place k down to where it belongs.
func (h *unitHeap) sink(k int) {
	for {
		child := 2*k + 1
		if child >= len(h.order) {
			return
		}
		if right := child + 1; right < len(h.order) && h.before(h.order[right], h.order[child]) {
			child = right
		}
		if !h.before(h.order[child], h.order[k]) {
			return
		}
		h.order[k], h.order[child] = h.order[child], h.order[k]
		k = child
	}
}

// holds reports whether one of some texts in a row holds a term of the question.
func (r Ranking) holds(term, from, to int) bool {
	marks := r.index.marks[term]
	if len(marks) == 0 {
		return r.index.inAny(r.terms[term].term, from, to)
	}
	for i := from; i < to; i++ {
		if marks[i/64]&(1<<(i%64)) != 0 {
			return true
		}
	}
	return false
}

// maxShared is how many words of a question are named as the shared ones.
const maxShared = 3

// Shared are the words of the question that some texts in a row hold, the rarest first.
func (r Ranking) Shared(from, to int) []string {
	var found []queryTerm
	for k, q := range r.terms {
		if r.holds(k, from, to) {
			found = append(found, q)
		}
	}
	slices.SortStableFunc(found, func(a, b queryTerm) int {
		return int(r.index.postings[a.term].texts) - int(r.index.postings[b.term].texts)
	})
	var words []string
	for _, q := range found {
		if !slices.Contains(words, q.word) && len(words) < maxShared {
			words = append(words, q.word)
		}
	}
	return words
}
