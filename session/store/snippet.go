package store

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

	// snippetAround is how much of the text before and behind a snippet is kept with it: what Hit.Without takes
	// out may be as long as a private key.
	snippetAround = 4 << 10

	ellipsis = "…"
)

// setSnippet gives a hit its snippet, with the text around it.
func (h *Hit) setSnippet(text string, all []place) {
	from, to := cut(text, closest(all))
	h.Snippet, h.Marks = snippet(text, from, to, all)
	first, end := max(0, from-snippetAround), min(len(text), to+snippetAround)
	h.around, h.from, h.to, h.cut = strings.Clone(text[first:end]), from-first, to-first, from > 0
}

// snippet makes one line of a part of a text and returns it with the byte ranges of what was found in it, merged and in order. Runs of white space
// become one space; characters that show nothing are left out.
func snippet(text string, from, to int, all []place) (line string, marks [][2]int) {
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
func closest(all []place) []place {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(a.start, b.start) })
	var best []place
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
func cut(text string, window []place) (from, to int) {
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
	space bool     // white space stands before, or nothing
}

// write adds the character that stands in the text at i.
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
