package inspector

import (
	"math"
	"slices"
	"unicode/utf8"

	"winnow/history"
)

// SegmentsOf is a message's text in segments: what is sent, what is not, and what is sent instead.
func SegmentsOf(text string, e history.Entry) []Segment {
	if !e.Sent() {
		return []Segment{{Unsent, text}}
	}
	var p Page
	inserted, at := e.Inserted, 0 // at is how many code points of the text are in the page
	take := func(kind Kind, end int) {
		size := 0
		for ; size < len(text) && at < end; at++ {
			_, n := utf8.DecodeRuneInString(text[size:])
			size += n
		}
		p.Add(kind, text[:size])
		text = text[size:]
	}
	upTo := func(kind Kind, end, inserts int) {
		for len(inserted) > 0 && inserted[0].At <= inserts {
			take(kind, inserted[0].At)
			p.Add(Added, inserted[0].Text)
			inserted = inserted[1:]
		}
		take(kind, end)
	}
	for _, cut := range e.Cuts {
		upTo(Sent, cut.From, cut.From)
		upTo(Unsent, cut.To, cut.To-1)
	}
	upTo(Sent, math.MaxInt, math.MaxInt)
	return p
}

// Span is a part of a text that has a kind of its own, in bytes.
type Span struct {
	From, To int
	Kind     Kind
}

// marked is a text with some parts in a kind of their own. Of parts that overlap the first counts.
func marked(text string, list []Span) []Segment {
	slices.SortStableFunc(list, func(a, b Span) int { return a.From - b.From })
	var p Page
	at := 0
	for _, x := range list {
		if x.From < at || x.To > len(text) {
			continue
		}
		p.Add(Sent, text[at:x.From])
		p.Add(x.Kind, text[x.From:x.To])
		at = x.To
	}
	p.Add(Sent, text[at:])
	return p
}
