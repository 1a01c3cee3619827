package search

import (
	"math"
	"time"
)

// How matches are ranked. A phrase counts more the more often it is in a message, ever less with each time, and less
// in a long message than in a short one. This is BM25 with a constant for the words of a message of usual length, and
// without the rarity of a phrase, because every match has all of them. What is newer counts more, at most twice as
// much.
const (
	saturation  = 1.2
	lengthShare = 0.75
	usualLength = 60.0
	halfLife    = 30 * 24 * time.Hour
)

// Score ranks a match, from 0 to 1: by how often the phrases are in the text, how many of them are close together,
// and the age of the message.
func (m Match) Score(age time.Duration) float64 {
	often := make([]float64, m.phrases)
	for _, p := range m.places {
		if p.whole {
			often[p.phrase]++
		} else {
			often[p.phrase] += 0.5
		}
	}
	long := saturation * (1 - lengthShare + lengthShare*float64(m.words)/usualLength)
	relevance := 0.0
	for _, n := range often {
		relevance += n / (n + long) / float64(m.phrases)
	}
	near := map[int]bool{}
	for _, p := range m.closest() {
		near[p.phrase] = true
	}
	closeness := 0.5 + 0.5*float64(len(near))/float64(m.phrases)
	freshness := 0.5 + 0.5*math.Exp2(-max(0, float64(age)/float64(halfLife)))
	return relevance * closeness * freshness
}

// closest returns the places within a snippet's length that have the most different phrases, and of those the most
// places.
func (m Match) closest() []place {
	var best []place
	first, bestPhrases := 0, 0
	inside := map[int]int{} // how often each phrase is within the length
	for i, p := range m.places {
		inside[p.phrase]++
		for first < i && m.places[first].start < p.end-(snippetSize-snippetLead) {
			gone := m.places[first].phrase
			if inside[gone]--; inside[gone] == 0 {
				delete(inside, gone)
			}
			first++
		}
		if n := i + 1 - first; len(inside) > bestPhrases || len(inside) == bestPhrases && n > len(best) {
			best, bestPhrases = m.places[first:i+1], len(inside)
		}
	}
	return best
}
