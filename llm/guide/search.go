package guide

import (
	"cmp"
	"slices"
	"strings"

	"winnow/history/relevance"
)

// The weights of a search. A word in a heading says more than one in the text.
const (
	headWeight  = 4
	titleWeight = 1.5
	kinWeight   = 0.7
	askedWeight = 6   // a word of how newcomers ask for a section
	sameAsked   = 3   // what a section's score is multiplied by that is asked for in just these words
	innerWeight = 0.5 // and on a page for those who change the program
)

// leastCover is how much of a question, by the rarity of its words, a part must hold to be an
// answer at all.
const leastCover = 0.4

// index is a BM25 index over parts.
type index struct {
	counts []map[string]float64 // by part: weighted occurrences of a term
	sizes  []float64            // by part: their sum
	mean   float64              // of sizes
	asked  [][][]string         // by part: the terms of each way of asking for it
	factor []float64            // by part: what its score is multiplied by
	parts  map[string]int       // by term: how many parts hold it
}

// hit is one found part.
type hit struct {
	part  int
	score float64
}

func indexOf(parts []part) index {
	x := index{parts: map[string]int{}}
	for _, p := range parts {
		counts := map[string]float64{}
		size := 0.0
		add := func(terms []string, weight float64) {
			for _, t := range terms {
				counts[t] += weight
				size += weight
			}
		}
		prose, data := proseAndData(p.text)
		repeated := terms(data)
		slices.Sort(repeated)
		add(terms(p.head), headWeight)
		add(terms(p.title+" "+p.page), titleWeight)
		add(terms(prose), 1)
		add(slices.Compact(repeated), 1)
		for _, t := range terms(p.asked) {
			counts[t] = max(counts[t], askedWeight) // without a share in the size: it is no text to read
		}
		for t := range counts {
			x.parts[t]++
		}
		var asked [][]string
		for way := range strings.SplitSeq(p.asked, ";") {
			asked = append(asked, distinct(way))
		}
		x.asked = append(x.asked, asked)
		factor := 1.0
		if p.inner {
			factor = innerWeight
		}
		x.factor = append(x.factor, factor)
		x.counts = append(x.counts, counts)
		x.sizes = append(x.sizes, size)
		x.mean += size / float64(len(parts))
	}
	return x
}

// proseAndData separates the code blocks and tables of a part from its sentences. A word that a table or
// an example repeats in each line says no more about what the part explains than if it stood there once.
func proseAndData(text string) (prose, data string) {
	var p, d strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if isFence(line) {
			fenced = !fenced
		}
		if fenced || strings.HasPrefix(line, "|") {
			d.WriteString(line)
			continue
		}
		p.WriteString(line)
	}
	return p.String(), d.String()
}

// search finds the parts that answer a question, the best first. Parts that hold too little of the
// question are no answer, so the result is often empty.
func (x index) search(question string) []hit {
	asked := distinct(question)
	whole := 0.0
	for _, t := range asked {
		whole += x.weight(t)
	}
	var hits []hit
	for i := range x.counts {
		score, cover := 0.0, 0.0
		for _, t := range asked {
			s, c := x.term(i, t)
			score += s
			cover += c
		}
		if slices.ContainsFunc(x.asked[i], func(way []string) bool { return slices.Equal(way, asked) }) {
			score *= sameAsked
		}
		if cover > 0 && cover >= leastCover*whole {
			hits = append(hits, hit{i, score * cover / whole * x.factor[i]})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	return hits
}

// distinct are the terms of a text, each once, in their order.
func distinct(text string) []string {
	list := terms(text)
	slices.Sort(list)
	return slices.Compact(list)
}

// term is what one asked term, or the best of its kin, adds to part i: its BM25 score, and how much
// of the question it covers.
func (x index) term(i int, t string) (score, cover float64) {
	score = x.bm25(i, t)
	if score > 0 {
		cover = x.weight(t)
	}
	for _, k := range kin(t) {
		s := kinWeight * x.bm25(i, k)
		if s > 0 {
			cover = max(cover, kinWeight*x.weight(t))
		}
		score = max(score, s)
	}
	return score, cover
}

// weight is how much of a question a term is. A word that the pages never use counts as the word
// that they use in its place, where there is one.
func (x index) weight(t string) float64 {
	known := 0.0
	for _, k := range kin(t) {
		if x.parts[t] == 0 && x.parts[k] > 0 {
			known = max(known, x.rarity(k))
		}
	}
	return cmp.Or(known, x.rarity(t))
}

func (x index) bm25(i int, t string) float64 {
	n := x.counts[i][t]
	if n == 0 {
		return 0
	}
	return relevance.BM25(x.rarity(t), n, x.sizes[i], x.mean)
}

// rarity is high for a word that few parts hold, and highest for one that none holds.
func (x index) rarity(t string) float64 {
	return relevance.Rarity(float64(x.parts[t]), float64(len(x.counts)))
}
