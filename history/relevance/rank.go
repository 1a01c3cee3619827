package relevance

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// The rules of relevance. BM25 with its usual constants finds the texts that a question is about. What was said around
// such a text often holds the answer, so that neighbours share its score; long texts hold many words by chance and cost
// much; a wish for all answers to come is meant to be remembered; and who is named is asked about.
const (
	saturation       = 1.2 // k1 of BM25: how soon more of the same word says no more
	lengthWeight     = 0.75
	spreadReach      = 5    // units before and after
	spreadShare      = 0.5  // of the score, for each step
	pauseShare       = 0.5  // of the share of a neighbour on the other side of a pause
	shortText        = 100  // tokens up to which a text is not judged by its length
	speakerWeight    = 1.5  // of the score of a text whose speaker the question names
	instructionBonus = 0.22 // of the best score

	compoundWeight = 0.5 // of a word that is a part of the one asked for, or that this one is a part of
	partLength     = 4   // bytes of a part of a compound at least
	partRest       = 3   // bytes beside the part at least
)

// Unit is a run of texts that belong together, such as a tool group, and how much it is about a question.
type Unit struct {
	From, To   int     // half-open, by the texts' order in the index
	Tokens     int     // what the unit costs whole
	AfterPause bool    // a pause stands in front of the unit: most of what was said before it is about something else
	Score      float64 // 1 is the best that shares a word with the question, 0 has nothing to do with it
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
// word that says something, or that any text has, nothing is relevant. Phrases that say what to do with what is found,
// such as "sum up", are not looked for.
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

// spread adds the score of unit k to its own sum and a share of it to those of its neighbours.
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

// Best are the relevant units, the most relevant first, of equals the newer.
func (r Ranking) Best() []Unit {
	list := slices.DeleteFunc(slices.Clone(r.Units), func(u Unit) bool { return u.Score <= 0 })
	slices.SortFunc(list, func(a, b Unit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), b.From-a.From) })
	return list
}

// maxShared is how many words of a question are named as the shared ones.
const maxShared = 3

// Shared are the words of the question that some texts in a row hold, the rarest first.
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

// Hit is a text that holds words of a question.
type Hit struct {
	Text  int     // its number in the index
	Score float64 // by BM25
	Share float64 // 0 to 1: how much of the question it holds, each word weighted by its rarity
}

// Search lists the texts that hold words of a question, the best first. Unlike Rank it looks at each text by itself.
func (x *Index) Search(question string) []Hit {
	hits := slices.DeleteFunc(x.score(x.query(Words(folded(question)))), func(h Hit) bool { return h.Score <= 0 })
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}

// match is how much each text holds of some terms, in the order of the texts.
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

// rarity is the weight of a term: the fewer texts hold it, the more it says.
func (x *Index) rarity(q queryTerm) float64 {
	all, texts := float64(len(x.texts)), float64(len(q.texts))
	return q.weight * math.Log(1+(all-texts+0.5)/(texts+0.5))
}

// query are the terms that words of a question ask for, each once, in the languages that the texts are written in.
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

// ask are the terms that a word of a question asks for in a language: its own, and those that are a compound with it
// or a part of it.
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

// languagesUsed are the languages that at least a tenth of the texts are written in, one bit each.
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
