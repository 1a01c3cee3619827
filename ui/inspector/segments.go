package inspector

import (
	"math"
	"slices"

	"winnow/history"
)

// SegmentsOf is a message's text in segments: what is sent, what is not, and what is sent instead.
func SegmentsOf(text string, e history.Entry) []Segment {
	if !e.Sent() {
		return []Segment{{Unsent, text}}
	}
	t := splitting{rest: text, inserted: e.Inserted}
	for _, cut := range e.Cuts {
		t.upTo(Sent, cut.From, cut.From)
		t.upTo(Unsent, cut.To, cut.To-1)
	}
	t.upTo(Sent, math.MaxInt, math.MaxInt)
	return t.page
}

// splitting is a text on its way into segments. Places in it are counted in code points.
type splitting struct {
	page     Page
	rest     string // of the text, from here on
	at       int
	inserted []history.Insert
}

// upTo adds the text up to a place, with what was inserted into it up to another.
func (t *splitting) upTo(kind Kind, end, inserts int) {
	for len(t.inserted) > 0 && t.inserted[0].At <= inserts {
		t.take(kind, t.inserted[0].At)
		t.page.Add(Added, t.inserted[0].Text)
		t.inserted = t.inserted[1:]
	}
	t.take(kind, end)
}

// take adds the text up to a place.
func (t *splitting) take(kind Kind, end int) {
	size := len(t.rest)
	for i := range t.rest {
		if t.at >= end {
			size = i
			break
		}
		t.at++
	}
	t.page.Add(kind, t.rest[:size])
	t.rest = t.rest[size:]
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
