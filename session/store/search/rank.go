package search

import (
	"math"
	"math/bits"
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
	_, near := m.closest()
	closeness := 0.5 + 0.5*float64(near)/float64(m.phrases)
	freshness := 0.5 + 0.5*math.Exp2(-max(0, float64(age)/float64(halfLife)))
	return relevance * closeness * freshness
}

// closest returns where the most different phrases are within a snippet's length, and how many. Of several such places
// it is the one with the most phrases in all, and the first.
func (m Match) closest() (start, phrases int) {
	most := 0
	for i, first := range m.places {
		near := uint32(0) // a bit for each phrase
		all := 0
		for _, p := range m.places[i:] {
			if all > 0 && p.end > first.start+snippetSize-snippetLead {
				break
			}
			near |= 1 << p.phrase
			all++
		}
		if n := bits.OnesCount32(near); n > phrases || n == phrases && all > most {
			start, phrases, most = first.start, n, all
		}
	}
	return start, phrases
}
