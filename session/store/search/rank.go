package search

import (
	"math"
	"time"
)

// How hits are ranked. A phrase counts more the more often it is in a message, ever less with each
// time, and less in a long message than in a short one: BM25, with the words of a message of usual
// length as a constant and without the rarity of a phrase, because every hit has all of them. What
// is newer counts more, at most twice as much.
const (
	saturation  = 1.2
	lengthShare = 0.75
	usualLength = 60.0
	halfLife    = 30 * 24 * time.Hour
)

// relevance is the mean weight of the phrases in a message with so many words, from 0 to 1.
func relevance(often []float64, length int) float64 {
	norm := saturation * (1 - lengthShare + lengthShare*float64(length)/usualLength)
	sum := 0.0
	for _, n := range often {
		sum += n / (n + norm)
	}
	return sum / float64(max(1, len(often)))
}

// weigh counts the places of each phrase for relevance. A word that merely begins with what was typed
// counts half.
func (q Query) weigh(all []Occurrence) []float64 {
	out := make([]float64, len(q))
	for _, p := range all {
		if p.whole {
			out[p.phrase]++
		} else {
			out[p.phrase] += 0.5
		}
	}
	return out
}

// Score ranks a message by its text: relevance, how many of the phrases stand close together, and age.
func (q Query) Score(all []Occurrence, length int, age time.Duration) float64 {
	near := map[int]bool{}
	for _, p := range closest(all) {
		near[p.phrase] = true
	}
	closeness := 0.5 + 0.5*float64(len(near))/float64(max(1, len(q)))
	return relevance(q.weigh(all), length) * closeness * freshness(float64(max(0, age))/float64(halfLife))
}

// freshness falls from 1 to ½ with the age in half lives.
func freshness(age float64) float64 { return 0.5 + 0.5*math.Exp2(-age) }

// Candidate is a hit as the index has it, before its text is read.
type Candidate struct {
	ID    int64
	score float64
}

// newCandidate ranks a hit by how often it has each phrase, and how many words it has. place is its place among all hits,
// the newest 0, and stands for its age.
func newCandidate(id int64, often []float64, length, place int) Candidate {
	return Candidate{id, relevance(often, length) * freshness(float64(place)/PageSize)}
}
