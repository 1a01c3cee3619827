package relevance

import (
	"slices"
	"strings"
)

// queryTerm is a term that a question asks for.
type queryTerm struct {
	word   string // of the question
	term   uint32
	weight float64 // 1, or less where the term is only a part of the word, or the word of the term
}

// query are the terms that a question asks for, each once: its words that say something, in the languages
// that the texts and the question are written in, then what is a compound with one of them.
func (x *Index) query(question string) []queryTerm {
	roots := x.roots(x.withoutTask(question))
	var list []queryTerm
	seen := map[uint32]bool{0: true}
	add := func(word string, term uint32, weight float64) {
		if !seen[term] {
			seen[term] = true
			list = append(list, queryTerm{word, term, weight})
		}
	}
	for _, r := range roots {
		add(r.word, x.terms[r.stem], 1)
	}
	for _, r := range roots {
		if x.joins&(1<<r.lang) == 0 {
			continue
		}
		for _, t := range x.partners(r.stem) {
			add(r.word, t, partWeight)
		}
	}
	return list
}

// root is a word's stem in a language.
type root struct {
	word, stem string
	lang       language
}

// roots are the stems of a question's words that say something, in every language that it may be
// meant in.
func (x *Index) roots(question string) []root {
	asked := x.split(question)
	used := x.languagesOf(asked)
	var list []root
	for _, at := range asked {
		w := x.words[at]
		if w.stop&used != 0 {
			continue
		}
		for l := range language(len(x.stem)) {
			if used&(1<<l) != 0 {
				list = append(list, root{w.folded, x.root(w.folded, l), l})
			}
		}
	}
	return list
}

// languagesOf are the languages that a question may be meant in, one bit each: its own, and those of
// at least a tenth of the texts.
func (x *Index) languagesOf(words []int32) uint32 {
	commonest := 0
	for l, n := range x.byLanguage {
		if n > x.byLanguage[commonest] {
			commonest = l
		}
	}
	used := uint32(1) << x.guess(x.stops(words), language(commonest))
	for l, n := range x.byLanguage {
		if n*10 >= len(x.lang) && n > 0 {
			used |= 1 << l
		}
	}
	return used
}

// partners are terms that begin or end with a stem, or that it begins or ends with. Their order does not
// depend on the order in which the texts were read: sums of scores are then the same to the last bit.
func (x *Index) partners(stem string) []uint32 {
	p := x.parts[stem]
	before := len(p.terms)
	for ; p.upto < len(x.stems); p.upto++ {
		if compound(x.stems[p.upto], stem) {
			p.terms = append(p.terms, uint32(p.upto))
		}
	}
	if len(p.terms) > before {
		slices.SortFunc(p.terms, func(a, b uint32) int { return strings.Compare(x.stems[a], x.stems[b]) })
	}
	if len(x.parts) >= maxPartners {
		clear(x.parts)
	}
	x.parts[stem] = p
	return p.terms
}

// maxPartners is how many stems have their partners remembered.
const maxPartners = 256

// partners so far, and the number of terms that were looked at.
type partners struct {
	upto  int
	terms []uint32
}

// The rules of compounds: a part has so many bytes, and so many more stand beside it.
const (
	partWeight = 0.5
	partLength = 4
	partRest   = 3
)

// compound reports whether one stem is the beginning or the end of the other.
func compound(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return len(b) >= partLength && len(a)-len(b) >= partRest && b[0] > '9' && (strings.HasSuffix(a, b) || strings.HasPrefix(a, b))
}
