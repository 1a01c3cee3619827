package transcript

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Needle is a text to look for, literally: without a capital letter in it in any case, with one in just
// that case. An é is an é however it is encoded, an ss is found as ß, and a blank is any white space.
type Needle struct {
	runes []rune
	exact bool // the case matters
}

// Span is a half-open range of code points of a text.
type Span struct{ From, To int }

// NewNeedle reads a text as a needle.
func NewNeedle(text string) Needle {
	n := Needle{exact: strings.ContainsFunc(text, unicode.IsUpper)}
	n.runes = n.reader().read(text).runes
	return n
}

// Empty says that there is nothing to look for.
func (n Needle) Empty() bool { return len(n.runes) == 0 }

// Finder looks for one needle in many texts. It is not for several goroutines at once.
type Finder struct {
	needle Needle
	reader *foldReader
}

// Finder makes a finder of the needle.
func (n Needle) Finder() *Finder { return &Finder{n, n.reader()} }

// In is where the needle stands in a text, in order; none overlaps another.
func (f *Finder) In(text string) []Span { return f.needle.in(f.reader.read(text)) }

// In is Finder.In for a single text.
func (n Needle) In(text string) []Span { return n.Finder().In(text) }

// squeezed is In for a text whose white space does not count at all: lines that were wrapped have
// lost some of it, and gained some.
func (f *Finder) squeezed(text string) []Span {
	bare := Needle{exact: f.needle.exact}
	for _, c := range f.needle.runes {
		if c != ' ' {
			bare.runes = append(bare.runes, c)
		}
	}
	f.reader.squeeze = true
	defer func() { f.reader.squeeze = false }()
	return bare.in(f.reader.read(text))
}

// in finds the needle in a text that was read as it was itself.
func (n Needle) in(t *folded) []Span {
	var list []Span
	size := len(n.runes)
	if size == 0 {
		return nil
	}
	for k := 0; k+size <= len(t.runes); {
		if t.runes[k] != n.runes[0] || !t.holds(n.runes, k) {
			k++
			continue
		}
		list = append(list, Span{t.at[k], t.at[k+size-1] + 1})
		k += size
	}
	return list
}

// folded is a text with its case folded and its characters taken apart, and for each rune the code
// point of the text that it comes from.
type folded struct {
	runes []rune
	at    []int
}

// holds says that whole characters from rune k on are the needle's.
func (t *folded) holds(needle []rune, k int) bool {
	end := k + len(needle)
	for i, c := range needle {
		if t.runes[k+i] != c {
			return false
		}
	}
	switch {
	case k > 0 && t.at[k-1] == t.at[k]:
		return false
	case end == len(t.runes):
		return true
	}
	return t.at[end] != t.at[end-1] && !accent(t.runes[end])
}

// accent says that a rune belongs to the letter in front of it.
func accent(r rune) bool { return r >= 0x300 && r < 0x370 }

// foldReader folds texts. What became of each character is remembered, by pages of 256.
type foldReader struct {
	exact   bool
	squeeze bool // white space is left out
	caser   cases.Caser
	known   [(unicode.MaxRune + 1) / 256]*[256][]rune
	text    folded
}

func (n Needle) reader() *foldReader {
	return &foldReader{exact: n.exact, caser: cases.Fold()}
}

// read folds a text. The result is valid until the next one is read.
func (r *foldReader) read(text string) *folded {
	t := &r.text
	t.runes, t.at = t.runes[:0], t.at[:0]
	i, blank := -1, false
	for _, c := range text {
		i++
		if c > ' ' && c < 0x7f { // most of what is ever read
			if !r.exact && c >= 'A' && c <= 'Z' {
				c += 'a' - 'A'
			}
			t.runes, t.at, blank = append(t.runes, c), append(t.at, i), false
			continue
		}
		out := r.fold(c)
		was := blank
		if blank = out[0] == ' '; blank && (was || r.squeeze) {
			continue
		}
		for _, c := range out {
			t.runes, t.at = append(t.runes, c), append(t.at, i)
		}
	}
	return t
}

// fold is what a character is compared as: a blank for all white space.
func (r *foldReader) fold(c rune) []rune {
	page := r.known[c>>8]
	if page == nil {
		page = new([256][]rune)
		r.known[c>>8] = page
	}
	if page[c&0xff] == nil {
		page[c&0xff] = r.foldAnew(c)
	}
	return page[c&0xff]
}

func (r *foldReader) foldAnew(c rune) []rune {
	s := string(c)
	switch {
	case unicode.IsSpace(c):
		s = " "
	case !r.exact:
		s = r.caser.String(s)
	}
	if out := []rune(norm.NFD.String(s)); len(out) > 0 {
		return out
	}
	return []rune{c}
}
