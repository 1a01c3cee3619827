package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of a snippet, in bytes of the text it is cut from.
const (
	snippetSize = 160
	snippetLead = 40 // before the first place that it shows
	snippetSlip = 16 // how far an end moves to the space between two words

	// snippetAround is how much of the text before and behind a snippet is kept with it: what Snippet.Without takes
	// out may be as long as a private key.
	snippetAround = 4 << 10

	ellipsis = "…"
)

// Snippet is one line of a text around what was found in it.
type Snippet struct {
	Text  string   // without control characters
	Marks [][2]int // what was found in Text: byte ranges in order that do not touch

	around   string // the text from which the snippet was cut, as far as Without looks at it
	from, to int    // where the snippet is in it
	cut      bool   // there is text before the snippet
}

// Cut cuts a snippet out of a text, around the places where most phrases are close together.
func Cut(text string, all []Occurrence) Snippet {
	from, to := cut(text, closest(all))
	var s Snippet
	s.Text, s.Marks = snippet(text, from, to, all)
	first, end := max(0, from-snippetAround), min(len(text), to+snippetAround)
	s.around, s.from, s.to, s.cut = strings.Clone(text[first:end]), from-first, to-first, from > 0
	return s
}

// Without is a snippet with a sign in the place of what find finds in it, and how often it found something.
// Find gets the text around the snippet too, and returns byte ranges in order and apart. A mark that one of
// them meets is gone.
func (s Snippet) Without(find func(text string) [][2]int, sign string) (Snippet, int) {
	spans := s.spans(find)
	if len(spans) == 0 {
		return s, 0
	}
	var text strings.Builder
	var marks [][2]int
	last, next := 0, s.Marks
	for _, span := range append(slices.Clone(spans), [2]int{len(s.Text), len(s.Text)}) {
		moved := text.Len() - last
		for ; len(next) > 0 && next[0][0] < span[0]; next = next[1:] {
			if next[0][1] <= span[0] {
				marks = append(marks, [2]int{next[0][0] + moved, next[0][1] + moved})
			}
		}
		for len(next) > 0 && next[0][0] < span[1] {
			next = next[1:]
		}
		text.WriteString(s.Text[last:span[0]])
		if span[0] < len(s.Text) {
			text.WriteString(sign)
		}
		last = span[1]
	}
	s.Text, s.Marks = text.String(), marks
	return s, len(spans)
}

// spans are the byte ranges of the snippet in which find finds something: in the snippet itself, and in the
// text that it was cut from, of which a find may begin before the snippet or end behind it.
func (s Snippet) spans(find func(text string) [][2]int) [][2]int {
	spans := slices.Clone(find(s.Text))
	for _, span := range find(s.around) {
		from, to := max(span[0], s.from), min(span[1], s.to)
		if from >= to {
			continue
		}
		first, end := s.inSnippet(from), s.inSnippet(to)
		if first < end {
			spans = append(spans, [2]int{first, end})
		}
	}
	return merged(spans)
}

// inSnippet is where byte at of the text around the snippet is in it.
func (s Snippet) inSnippet(at int) int {
	w := lineWriter{space: true}
	if s.cut {
		w.b.WriteString(ellipsis)
	}
	for i, r := range s.around[s.from:at] {
		w.write(r, i)
	}
	return min(w.b.Len(), len(s.Text))
}

// snippet makes one line of a part of a text and returns it with the byte ranges of what was found in it, merged and in order. Runs of white space
// become one space; characters that show nothing are left out.
func snippet(text string, from, to int, all []Occurrence) (line string, marks [][2]int) {
	var spans [][2]int
	for _, p := range all {
		if start, end := max(p.start, from), min(p.end, to); start < end {
			spans = append(spans, [2]int{start, end})
		}
	}
	w := lineWriter{spans: merged(spans), space: true}
	if from > 0 {
		w.b.WriteString(ellipsis)
	}
	for i := from; i < to; {
		r, size := utf8.DecodeRuneInString(text[i:])
		w.write(r, i)
		i += size
	}
	w.mark(to)
	line = strings.TrimRight(w.b.String(), " ")
	if n := len(w.marks); n > 0 {
		w.marks[n-1][1] = min(w.marks[n-1][1], len(line))
	}
	if to < len(text) {
		line += ellipsis
	}
	return line, w.marks
}

// closest returns the places of the window that holds the most different phrases, and of those the
// one with the most places.
func closest(all []Occurrence) []Occurrence {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Occurrence) int { return cmp.Compare(a.start, b.start) })
	var best []Occurrence
	bestPhrases, first := 0, 0
	inside := map[int]int{}
	for i, p := range all {
		inside[p.phrase]++
		for all[first].start < p.end-(snippetSize-snippetLead) && first < i {
			gone := all[first].phrase
			if inside[gone]--; inside[gone] == 0 {
				delete(inside, gone)
			}
			first++
		}
		window := all[first : i+1]
		if len(inside) > bestPhrases || len(inside) == bestPhrases && len(window) > len(best) {
			best, bestPhrases = window, len(inside)
		}
	}
	return best
}

// cut returns where a snippet that shows these places begins and ends in the text: between two words
// where that is near, between two characters otherwise.
func cut(text string, window []Occurrence) (from, to int) {
	start := 0
	if len(window) > 0 {
		start = window[0].start
	}
	from = max(0, start-snippetLead)
	to = min(len(text), from+snippetSize)
	from = max(0, min(from, to-snippetSize))
	if from > 0 {
		if space := strings.IndexFunc(text[from:min(start, from+snippetSlip)], unicode.IsSpace); space >= 0 {
			from += space + 1
		}
	}
	if to < len(text) {
		tail := max(from, start, to-snippetSlip)
		if space := strings.LastIndexFunc(text[tail:to], unicode.IsSpace); space > 0 {
			to = tail + space
		}
	}
	for from > 0 && from < start && !utf8.RuneStart(text[from]) {
		from++
	}
	for to < len(text) && to > from && !utf8.RuneStart(text[to]) {
		to--
	}
	return from, to
}

// merged joins ranges that touch each other.
func merged(spans [][2]int) [][2]int {
	slices.SortFunc(spans, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	var out [][2]int
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}

// lineWriter writes a piece of a text as one line and finds the spans of the text in it again.
type lineWriter struct {
	b     strings.Builder
	spans [][2]int // still to come, in the text
	marks [][2]int // in the line
	open  bool     // the last of marks has no end yet
	space bool     // white space is before, or nothing
}

// write adds the character that is in the text at i.
func (w *lineWriter) write(r rune, i int) {
	w.mark(i)
	switch {
	case unicode.IsSpace(r):
		if !w.space {
			w.b.WriteByte(' ')
		}
		w.space = true
		return
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r) && !joiner(r):
		return
	}
	w.b.WriteRune(r) // an invalid byte comes as U+FFFD
	w.space = false
}

// mark begins and ends the marks that begin and end in the text at i.
func (w *lineWriter) mark(i int) {
	if w.open && i >= w.spans[0][1] {
		w.marks[len(w.marks)-1][1] = w.b.Len()
		w.spans, w.open = w.spans[1:], false
	}
	if !w.open && len(w.spans) > 0 && i >= w.spans[0][0] && i < w.spans[0][1] {
		w.marks = append(w.marks, [2]int{w.b.Len(), w.b.Len()})
		w.open = true
	}
}

// joiner reports whether an invisible character decides how its neighbours look.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }
