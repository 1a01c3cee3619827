package relevance

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// The constants of the ranking. BM25 finds the texts that a question is about. The texts around them often hold the
// answer, so neighbours share their score. Long texts contain many words by chance and cost more. Instructions for all
// future answers and texts of a person who is named in the question get a higher score.
const (
	saturation       = 1.2  // k1 of BM25: how quickly repetitions of a word stop counting
	lengthWeight     = 0.75 // b of BM25
	spreadReach      = 5    // units before and after that share a score
	spreadShare      = 0.5  // factor for each step to a neighbour
	pauseShare       = 0.5  // additional factor if a pause is in between
	shortText        = 100  // texts up to this many tokens are not judged by their length
	speakerWeight    = 1.5  // factor if the question names the speaker
	instructionBonus = 0.22 // added, relative to the best score

	compoundWeight = 0.5 // factor for a word that contains the one asked for, or is contained in it
	partLength     = 4   // least bytes of a part of a compound
	partRest       = 3   // least bytes of the rest
)

// Unit is a run of texts that belong together, such as a tool group, with its relevance to a question.
type Unit struct {
	From, To   int     // half-open range of texts in the index
	Tokens     int     // cost of the whole unit
	AfterPause bool    // a pause precedes the unit, so most of what was said before is about something else
	Score      float64 // about 1 for the best match, 0 if unrelated
}

// Ranking holds the relevance of each unit to a question.
type Ranking struct {
	Units []Unit // in the order of the texts; empty if nothing is relevant
	terms []queryTerm
}

// queryTerm is a term that a question asks for.
type queryTerm struct {
	*term
	word   string  // the word of the question
	weight float64 // 1, or less if the term only contains the word or is contained in it
}

// Rank scores units by their relevance to a question. The units must cover all texts of the index in order; their
// scores are set in place. Nothing is relevant if the question has only stop words or shares no word with a text.
// Phrases that say what to do with the results, such as "sum up", are ignored.
func (x *Index) Rank(question string, units []Unit) Ranking {
	r := Ranking{terms: x.query(Words(x.phrases["task"].Replace(folded(question))))}
	hits := x.score(r.terms)
	scores := make([]float64, len(units))
	for k, u := range units {
		found := slices.MaxFunc(hits[u.From:u.To], func(a, b Hit) int { return cmp.Compare(a.Score, b.Score) })
		shareWithNeighbours(units, scores, k, found.Score)
	}
	named := map[*term]bool{}
	for _, q := range r.terms {
		named[q.term] = q.weight == 1
	}
	best := 0.0
	for k, u := range units {
		scores[k] /= math.Sqrt(float64(max(shortText, u.Tokens)))
		if named[x.texts[u.From].speaker] {
			scores[k] *= speakerWeight
		}
		best = max(best, scores[k])
	}
	if best == 0 {
		return r
	}
	r.Units = units
	for k := range units {
		units[k].Score = scores[k] / best
		if x.IsInstruction(units[k].From) {
			units[k].Score += instructionBonus
		}
	}
	return r
}

// shareWithNeighbours adds the score of unit k to its own sum, and a share of it to those of its neighbours.
func shareWithNeighbours(units []Unit, sums []float64, k int, score float64) {
	sums[k] += score
	for _, step := range []int{-1, 1} {
		share, at := score, k+step
		for d := 0; d < spreadReach && at >= 0 && at < len(units); d, at = d+1, at+step {
			share *= spreadShare
			if units[max(at, at-step)].AfterPause {
				share *= pauseShare
			}
			sums[at] += share
		}
	}
}

// Best returns the relevant units, the most relevant first; of equally relevant ones, the newer first.
func (r Ranking) Best() []Unit {
	list := slices.DeleteFunc(slices.Clone(r.Units), func(u Unit) bool { return u.Score <= 0 })
	slices.SortFunc(list, func(a, b Unit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), b.From-a.From) })
	return list
}

// maxShared is how many words SharedWords returns at most.
const maxShared = 3

// SharedWords returns the words of the question that occur in a range of texts, the rarest first.
func (r Ranking) SharedWords(from, to int) []string {
	terms := slices.DeleteFunc(slices.Clone(r.terms), func(q queryTerm) bool { return q.before(from) == q.before(to) })
	slices.SortStableFunc(terms, func(a, b queryTerm) int { return cmp.Compare(len(a.texts), len(b.texts)) })
	var list []string
	for _, q := range terms {
		if !slices.Contains(list, q.word) && len(list) < maxShared {
			list = append(list, q.word)
		}
	}
	return list
}

// Hit is a text that contains words of a question.
type Hit struct {
	Text  int     // its index
	Score float64 // by BM25
	Share float64 // 0 to 1: the part of the question that it contains, with words weighted by rarity
}

// Search returns the texts that contain words of a question, the best first. Unlike Rank, it scores each text on its
// own.
func (x *Index) Search(question string) []Hit {
	hits := slices.DeleteFunc(x.score(x.query(Words(folded(question)))), func(h Hit) bool { return h.Score <= 0 })
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// score returns the BM25 score of each text for some terms, in the order of the texts.
func (x *Index) score(terms []queryTerm) []Hit {
	hits := make([]Hit, len(x.texts))
	whole, words := 0.0, 0
	for _, q := range terms {
		whole += x.rarity(q)
	}
	for _, t := range x.texts {
		words += t.words
	}
	average := float64(max(1, words)) / float64(max(1, len(x.texts)))
	for _, q := range terms {
		rarity := x.rarity(q)
		for _, p := range q.texts {
			times, length := float64(p.times), float64(x.texts[p.text].words)/average
			slack := saturation * (1 - lengthWeight + lengthWeight*length)
			h := &hits[p.text]
			h.Text = int(p.text)
			h.Score += rarity * times * (saturation + 1) / (times + slack)
			h.Share += rarity / whole
		}
	}
	return hits
}

// rarity returns the weight of a term: the fewer texts contain it, the higher.
func (x *Index) rarity(q queryTerm) float64 {
	all, texts := float64(len(x.texts)), float64(len(q.texts))
	return q.weight * math.Log(1+(all-texts+0.5)/(texts+0.5))
}

// query returns the terms that the words of a question ask for, each once, in the languages of the texts.
func (x *Index) query(words []string) []queryTerm {
	used := x.languagesUsed()
	var list []queryTerm
	for _, word := range words {
		for in := used; in != 0 && x.stop[word]&used == 0; in &= in - 1 {
			list = append(list, x.termsFor(word, bits.TrailingZeros32(in))...)
		}
	}
	slices.SortStableFunc(list, func(a, b queryTerm) int {
		return cmp.Or(strings.Compare(a.stem, b.stem), cmp.Compare(b.weight, a.weight))
	})
	return slices.CompactFunc(list, func(a, b queryTerm) bool { return a.stem == b.stem })
}

// termsFor returns the terms for a word of a question in a language: its own, and those that form a compound with it.
func (x *Index) termsFor(word string, language int) []queryTerm {
	stem := Stem(word, x.names[language])
	list := []queryTerm{{cmp.Or(x.terms[stem], &term{stem: stem}), word, 1}}
	if x.compounds&(1<<language) == 0 {
		return list
	}
	for _, t := range x.terms {
		if compound(t.stem, stem) {
			list = append(list, queryTerm{t, word, compoundWeight})
		}
	}
	return list
}

// languagesUsed returns the languages of at least a tenth of the texts, one bit each.
func (x *Index) languagesUsed() uint32 {
	texts := make([]int, len(x.names))
	for _, t := range x.texts {
		texts[t.language]++
	}
	used := uint32(0)
	for language, n := range texts {
		if n > 0 && n*10 >= len(x.texts) {
			used |= 1 << language
		}
	}
	return used
}

// compound reports whether one stem is the beginning or the end of the other.
func compound(long, short string) bool {
	if len(long) < len(short) {
		long, short = short, long
	}
	return len(short) >= partLength && len(long)-len(short) >= partRest && short[0] > '9' &&
		(strings.HasPrefix(long, short) || strings.HasSuffix(long, short))
}
