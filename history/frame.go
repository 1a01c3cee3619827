package history

import (
	"slices"
	"strings"

	"winnow/history/message"
)

// framing is what a repair put around a message's own text, or in its place.
type framing struct {
	lead, tail int  // code points in front of it and behind it
	replaced   bool // nothing of it is left
}

// compare finds the stored text in a candidate's text.
func (v *candidate) compare(stored string) {
	v.framing = framing{}
	if v.standIn || v.Content == stored {
		return
	}
	own := message.Clean(stored)
	at := strings.Index(v.Content, own)
	if at < 0 || message.IsBlank(own) {
		v.replaced = true
		return
	}
	v.lead, v.tail = runes(v.Content[:at]), runes(v.Content[at+len(own):])
}

// locate writes into an entry what of the stored text is sent and what stands in its place, by the
// code points of the stored text.
func (f rendering) locate(v *candidate, e *Entry) {
	if v.framing == (framing{}) {
		e.CharsAfter, e.Cuts, e.Inserted = f.chars, f.cuts, f.insert
		return
	}
	n := e.CharsBefore
	if v.replaced {
		e.CharsAfter, e.Inserted = 0, []Insert{{0, f.text}}
		if n > 0 {
			e.Cuts = []Range{{0, n}}
		}
		return
	}
	text := []rune(v.Content)
	tail := len(text) - v.tail
	own := func(at int) int { return max(0, min(at-v.lead, n)) }
	lead, behind := f.sent(text, 0, v.lead), f.sent(text, tail, len(text))
	if e.CharsAfter = n; lead != "" {
		e.Inserted = append(e.Inserted, Insert{0, lead})
	}
	for _, c := range f.cuts {
		if from, to := own(c.From), own(c.To); from < to {
			e.Cuts = append(e.Cuts, Range{from, to})
			e.CharsAfter -= to - from
		}
	}
	for _, in := range f.insert {
		if v.lead <= in.At && in.At < tail {
			e.Inserted = append(e.Inserted, Insert{own(in.At), in.Text})
		}
	}
	if behind != "" {
		e.Inserted = append(e.Inserted, Insert{n, behind})
	}
}

// sent is what of the code points of a candidate's text from one place to another is sent, with what the
// cut put there.
func (f rendering) sent(text []rune, from, to int) string {
	var b strings.Builder
	for at := from; at < to; at++ {
		for _, in := range f.insert {
			if in.At == at {
				b.WriteString(in.Text)
			}
		}
		if !slices.ContainsFunc(f.cuts, func(c Range) bool { return c.From <= at && at < c.To }) {
			b.WriteRune(text[at])
		}
	}
	return b.String()
}
