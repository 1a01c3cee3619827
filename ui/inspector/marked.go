package inspector

import (
	"slices"
)

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
