package relevance

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The rules of relevance. BM25 with its usual constants finds the texts that a question is about. What was said around
// such a text often holds the answer, so that neighbours share its score; long texts hold many words by chance and cost
// much; a wish for all answers to come is meant to be remembered; and who is named is asked about.
const (
	saturation    = 1.2 // k1 of BM25: how soon more of the same word says no more
	lengthWeight  = 0.75
	spreadReach   = 5    // units before and after
	spreadShare   = 0.5  // of the score, for each step
	pauseShare    = 0.5  // of the share of a neighbour on the other side of a pause
	shortText     = 100  // tokens up to which a text is not judged by its length
	speakerWeight = 1.5  // of the score of a text whose speaker the question names
	standingBonus = 0.22 // of the best score
)

// Unit is a run of texts that belong together, such as a tool group, and how much it is about a question.
type Unit struct {
	From, To int     // half-open, by the texts' order in the index
	Tokens   int     // what the unit costs whole
	Apart    bool    // a pause stands in front of the unit: most of what was said before it is about something else
	Score    float64 // 1 is the best that shares a word with the question, 0 has nothing to do with it
}

// Ranking says how much each unit is about a question.
type Ranking struct {
	Units []Unit // in the order of the texts; empty where nothing is relevant
	terms []queryTerm
}

// queryTerm is a term that a question asks for.
type queryTerm struct {
	*term
	word   string  // of the question
	weight float64 // 1, or less where the term is only a part of the word, or the word of the term
}

// Rank scores units by a question; they have to be all texts of the index, in order. It writes into units. Without a
// word that says something, or that any text has, nothing is relevant.
func (x *Index) Rank(question string, units []Unit) Ranking {
	r := Ranking{terms: x.query(x.withoutTask(question))}
	texts, _ := x.match(r.terms)
	scores := make([]float64, len(units))
	for k, u := range units {
		spread(units, scores, k, slices.Max(texts[u.From:u.To]))
	}
	best := 0.0
	for k, u := range units {
		scores[k] /= math.Sqrt(float64(max(shortText, u.Tokens)))
		if r.names(x.texts[u.From].speaker) {
			scores[k] *= speakerWeight
		}
		best = max(best, scores[k])
	}
	if best == 0 {
		return r
	}
	for k := range units {
		units[k].Score = scores[k] / best
		if x.Standing(units[k].From) {
			units[k].Score += standingBonus
		}
	}
	r.Units = units
	return r
}

// spread adds the score of unit k to its own sum and a share of it to those of its neighbours.
func spread(units []Unit, sums []float64, k int, score float64) {
	sums[k] += score
	for _, step := range []int{-1, 1} {
		share, at := score, k+step
		for d := 0; d < spreadReach && at >= 0 && at < len(units); d++ {
			share *= spreadShare
			if units[max(at, at-step)].Apart {
				share *= pauseShare
			}
			sums[at] += share
			at += step
		}
	}
}

// names reports whether the question names a speaker.
func (r Ranking) names(speaker *term) bool {
	return speaker != nil && slices.ContainsFunc(r.terms, func(q queryTerm) bool {
		return q.term == speaker &&
			q.weight == 1
	})
}

// Best are the relevant units, the most relevant first, of equals the newer.
func (r Ranking) Best() []Unit {
	list := slices.DeleteFunc(slices.Clone(r.Units), func(u Unit) bool { return u.Score <= 0 })
	slices.SortFunc(list, func(a, b Unit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.From,
			a.From))
	})
	return list
}

// maxShared is how many words of a question are named as the shared ones.
const maxShared = 3

// Shared are the words of the question that some texts in a row hold, the rarest first.
func (r Ranking) Shared(from, to int) []string {
	terms := slices.DeleteFunc(slices.Clone(r.terms), func(q queryTerm) bool { return !q.in(from, to) })
	slices.SortStableFunc(terms, func(a, b queryTerm) int { return cmp.Compare(len(a.texts), len(b.texts)) })
	var list []string
	for _, q := range terms {
		if !slices.Contains(list, q.word) && len(list) < maxShared {
			list = append(list, q.word)
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
	terms := x.query(question)
	whole := 0.0
	for _, q := range terms {
		whole += x.rarity(q)
	}
	scores, held := x.match(terms)
	var hits []Hit
	for text, score := range scores {
		if score > 0 {
			hits = append(hits, Hit{text, score, held[text] / whole})
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// match is the BM25 score of each text, and the sum of the rarities of the terms that it holds.
func (x *Index) match(terms []queryTerm) (scores, held []float64) {
	scores, held = make([]float64, len(x.texts)), make([]float64, len(x.texts))
	average := float64(max(1, x.total)) / float64(max(1, len(x.texts)))
	for _, q := range terms {
		rarity := x.rarity(q)
		for _, p := range q.texts {
			times, length := float64(p.times), float64(x.texts[p.text].words)/average
			slack := saturation * (1 - lengthWeight + lengthWeight*length)
			scores[p.text] += rarity * times * (saturation + 1) / (times + slack)
			held[p.text] += rarity
		}
	}
	return scores, held
}

// rarity is the weight of a term: the fewer texts hold it, the more it says.
func (x *Index) rarity(q queryTerm) float64 {
	all, texts := float64(len(x.texts)), float64(len(q.texts))
	return q.weight * math.Log(1+(all-texts+0.5)/(texts+0.5))
}

// query are the terms that a question asks for, each once: its words that say something, in the languages that the
// texts and the question are written in, then what is a compound with one of them.
func (x *Index) query(question string) []queryTerm {
	asked := words(question)
	used := x.languagesOf(asked)
	var roots, parts []queryTerm
	for _, word := range asked {
		for l := range x.stem {
			if used&(1<<l) == 0 || x.stop[word]&used != 0 {
				continue
			}
			root := &term{stem: stemBy(x.stem[l], word)}
			if known := x.stems[root.stem]; known != nil {
				root = known
			}
			roots = append(roots, queryTerm{root, word, 1})
			if x.joins&(1<<l) != 0 {
				parts = append(parts, x.compounds(root.stem, word)...)
			}
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(append(roots, parts...), func(q queryTerm) bool {
		again := seen[q.stem]
		seen[q.stem] = true
		return again
	})
}

// languagesOf are the languages that a question may be meant in, one bit each: its own, and those of at least a tenth
// of the texts.
func (x *Index) languagesOf(asked []string) uint32 {
	texts := make([]int, len(x.stem))
	for _, t := range x.texts {
		texts[t.language]++
	}
	used := uint32(1) << x.guess(asked, slices.Index(texts, slices.Max(texts)))
	for l, n := range texts {
		if n > 0 && n*10 >= len(x.texts) {
			used |= 1 << l
		}
	}
	return used
}

// The rules of compounds: a part has so many bytes, and so many more stand beside it.
const (
	compoundWeight = 0.5
	partLength     = 4
	partRest       = 3
)

// compounds are the terms that begin or end with the stem of a word, or that it begins or ends with.
func (x *Index) compounds(stem, word string) []queryTerm {
	var list []queryTerm
	for _, t := range x.terms {
		if compound(t.stem, stem) {
			list = append(list, queryTerm{t, word, compoundWeight})
		}
	}
	// The scores of a text are then the same to the last bit, in whatever order the texts were read.
	slices.SortFunc(list, func(a, b queryTerm) int { return strings.Compare(a.stem, b.stem) })
	return list
}

// compound reports whether one stem is the beginning or the end of the other.
func compound(long, short string) bool {
	if len(long) < len(short) {
		long, short = short, long
	}
	return len(short) >= partLength && len(long)-len(short) >= partRest && short[0] > '9' &&
		(strings.HasPrefix(long, short) || strings.HasSuffix(long, short))
}
