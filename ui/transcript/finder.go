package transcript

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Finder searches many texts for one, literally: without a capital letter in it in any case, with one in just
// that case. An é is an é however it is encoded, an ss is found as ß, and a blank is any white space. It is not
// for several goroutines at once.
type finder struct {
	needle  []rune // what is searched for, as the texts are read
	exact   bool   // the case matters
	squeeze bool   // white space is left out
	caser   cases.Caser
	known   [(unicode.MaxRune + 1) / 256]*[256][]rune // what became of each character, by pages of 256

	// The text that was read last, its case folded and its characters taken apart, and for each rune the code
	// point of the text that it comes from.
	runes []rune
	at    []int
}

// Span is a half-open range of code points of a text.
type Span struct{ From, To int }

// newFinder makes a finder of a text.
func newFinder(text string) *finder {
	f := &finder{exact: strings.ContainsFunc(text, unicode.IsUpper), caser: cases.Fold()}
	f.read(text)
	f.needle = slices.Clone(f.runes)
	return f
}

// Empty says that there is nothing to search for.
func (f *finder) Empty() bool { return len(f.needle) == 0 }

// In is where a text has what is searched for, in order; none overlaps another.
func (f *finder) In(text string) []Span {
	f.read(text)
	return f.spans(f.needle)
}

// squeezed is In for a text whose white space does not count at all: lines that were wrapped have
// lost some of it, and gained some.
func (f *finder) squeezed(text string) []Span {
	f.squeeze = true
	f.read(text)
	f.squeeze = false
	return f.spans(slices.DeleteFunc(slices.Clone(f.needle), func(c rune) bool { return c == ' ' }))
}

// spans finds a needle in the text that was read last.
func (f *finder) spans(needle []rune) []Span {
	var list []Span
	size, runes := len(needle), f.runes
	for k := 0; size > 0 && k+size <= len(runes); {
		if runes[k] != needle[0] || !f.holds(needle, k) {
			k++
			continue
		}
		list = append(list, Span{f.at[k], f.at[k+size-1] + 1})
		k += size
	}
	return list
}

// holds says that whole characters from rune k on are the needle's.
func (f *finder) holds(needle []rune, k int) bool {
	end := k + len(needle)
	switch {
	case !slices.Equal(f.runes[k:end], needle):
		return false
	case k > 0 && f.at[k-1] == f.at[k]:
		return false
	case end == len(f.runes):
		return true
	}
	return f.at[end] != f.at[end-1] && !accent(f.runes[end])
}

// accent says that a rune belongs to the letter in front of it.
func accent(r rune) bool { return r >= 0x300 && r < 0x370 }

// read folds a text.
func (f *finder) read(text string) {
	runes, at := f.runes[:0], f.at[:0]
	i, blank := -1, false
	for _, c := range text {
		i++
		if c > ' ' && c < 0x7f { // most of what is ever read
			if !f.exact && c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			runes, at, blank = append(runes, c), append(at, i), false
			continue
		}
		out := f.fold(c)
		was := blank
		if blank = out[0] == ' '; blank && (was || f.squeeze) {
			continue
		}
		for _, c := range out {
			runes, at = append(runes, c), append(at, i)
		}
	}
	f.runes, f.at = runes, at
}

// fold is what a character is compared as: a blank for all white space.
func (f *finder) fold(c rune) []rune {
	page := f.known[c>>8]
	if page == nil {
		page = new([256][]rune)
		f.known[c>>8] = page
	}
	if page[c&0xff] == nil {
		page[c&0xff] = f.foldAnew(c)
	}
	return page[c&0xff]
}

func (f *finder) foldAnew(c rune) []rune {
	s := string(c)
	switch {
	case unicode.IsSpace(c):
		s = " "
	case !f.exact:
		s = f.caser.String(s)
	}
	if out := []rune(norm.NFD.String(s)); len(out) > 0 {
		return out
	}
	return []rune{c}
}
