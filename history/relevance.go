package history

import (
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
	wishBonus    = 0.3 // of the best score
)

// relevance says how much each text is about a question.
type relevance struct {
	words  []string  // of the question, by term
	terms  []uint32  // of the question
	scores []float64 // of each view, 1 is the best; 0 has nothing to do with it
}

// relevant judges the views of a thread by a question. Without a word that says something nothing is
// relevant.
func (t *thread) relevant(question string) relevance {
	x := t.searchable()
	var r relevance
	r.words, r.terms = x.lookUp(question)
	if len(r.terms) == 0 {
		return r
	}
	r.scores = x.match(r.terms)
	r.scores = spread(r.scores)
	best := 0.0
	for i := range r.scores {
		r.scores[i] /= math.Sqrt(float64(max(shortText, t.views[i].tokens)))
		best = max(best, r.scores[i])
	}
	if best == 0 {
		return r
	}
	for i := range r.scores {
		r.scores[i] /= best
		if x.wish[i] {
			r.scores[i] += wishBonus
		}
	}
	return r
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
	return callsAsText(v.Message)
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

// match is the BM25 score of each text.
func (x *index) match(terms []uint32) []float64 {
	n := float64(len(x.lang))
	average := max(1, float64(x.total)/max(1, n))
	scores := make([]float64, len(x.lang))
	for _, t := range terms {
		list := x.postings[t]
		df := float64(len(list))
		idf := math.Log(1 + (n-df+0.5)/(df+0.5))
		for _, p := range list {
			times := float64(p.times)
			scores[p.text] += idf * times * (bmSaturation + 1) / (times + bmSaturation*(1-bmLength+bmLength*float64(x.lengths[p.text])/average))
		}
	}
	return scores
}

// spread gives each text a share of the scores around it.
func spread(scores []float64) []float64 {
	all := make([]float64, len(scores))
	for i, s := range scores {
		if s == 0 {
			continue
		}
		share := s
		all[i] += s
		for d := 1; d <= spreadReach; d++ {
			share *= spreadShare
			if i-d >= 0 {
				all[i-d] += share
			}
			if i+d < len(all) {
				all[i+d] += share
			}
		}
	}
	return all
}

// mostShared is how many words of a question a reason names.
const mostShared = 3

// shared are the words of the question that text i holds, the rarest first.
func (r relevance) shared(x *index, i int) []string {
	var found []int
	for k, t := range r.terms {
		if x.holds(t, i) {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return len(x.postings[r.terms[a]]) - len(x.postings[r.terms[b]]) })
	var words []string
	for _, k := range found {
		if w := r.words[k]; !slices.Contains(words, w) && len(words) < mostShared {
			words = append(words, w)
		}
	}
	return words
}

// near reports whether a text around text i holds a word of the question.
func (r relevance) near(x *index, i int) bool {
	for _, t := range r.terms {
		for k := max(0, i-spreadReach); k <= min(i+spreadReach, len(x.lang)-1); k++ {
			if x.holds(t, k) {
				return true
			}
		}
	}
	return false
}
