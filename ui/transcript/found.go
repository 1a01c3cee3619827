package transcript

import (
	"winnow/history"
	"winnow/ui/theme"
)

// seen is whether the model sees a place in the request on show.
type seen int

// A place is in the request, in a part of a message that is cut away, in a message that is not sent, or
// in one that the request does not know.
const (
	InContext seen = iota
	CutAway
	LeftOut
	notKnown
)

// tally counts hits by what the model sees of them.
type tally [notKnown + 1]int

// Sees says what the model sees of a place with one span.
func (c *Chat) Sees(x Found) (seen, history.Entry) {
	var t tally
	e := c.tally(&t, x)
	for s, n := range t {
		if n > 0 {
			return seen(s), e
		}
	}
	return notKnown, e
}

// tally counts the hits of one place by its message's verdict.
func (c *Chat) tally(t *tally, x Found) history.Entry {
	if x.Message >= len(c.Messages) {
		return history.Entry{}
	}
	e, ok := c.Verdict(c.Messages[x.Message].ID)
	switch {
	case !ok:
		t[notKnown] += len(x.Spans)
		return e
	case !e.Sent():
		t[LeftOut] += len(x.Spans)
		return e
	case x.call >= 0 || len(e.Cuts) == 0:
		t[InContext] += len(x.Spans)
		return e
	}
	for _, s := range x.Spans {
		t[among(e.Cuts, s)]++
	}
	return e
}

// among says whether a span of a message that is sent lies in a part of it that is not.
func among(cuts []history.Range, s Span) seen {
	for _, cut := range cuts {
		if s.From < cut.To && cut.From < s.To {
			return CutAway
		}
	}
	return InContext
}

// Judge counts the hits by the plan on show.
func (f *Search) Judge(c *Chat) {
	f.Tally = tally{}
	for _, x := range f.Found {
		c.tally(&f.Tally, x)
	}
}

// hitTag is what stands beside an item with hits, "" for one without.
func (c *Chat) hitTag(id int64) string {
	if c.Find == nil || len(c.Find.Found) == 0 {
		return ""
	}
	message := id
	if owner, is := c.owner[id]; is {
		message = owner
	}
	place, ok := c.Place[message]
	if !ok {
		return ""
	}
	return c.hitsOf(place, id).tag()
}

// hitsOf counts the hits in one item of the message at a place.
func (c *Chat) hitsOf(place int, item int64) tally {
	f := c.Find
	var t tally
	for _, x := range f.Found[f.firstIn(place):] {
		if x.Message != place {
			break
		}
		if c.ItemOf(x) == item {
			c.tally(&t, x)
		}
	}
	return t
}

// words of what the model sees of a hit, with their signs.
var seenWords = [...]struct{ sign, word string }{
	InContext: {"●", "in context"},
	CutAway:   {"✂", "cut"},
	LeftOut:   {"○", "out"},
	notKnown:  {"?", "not known"},
}

// Text names what is not nothing: "7 in context, 2 cut, 3 out".
func (t tally) Text() string {
	text := ""
	for s, n := range t {
		if n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += theme.Thousands(n) + " " + seenWords[s].word
	}
	return text
}

// tag is what stands beside a message with hits: one word where the model sees all of them alike.
func (t tally) tag() string {
	all, kinds, last := 0, 0, InContext
	for s, n := range t {
		if all += n; n > 0 {
			kinds, last = kinds+1, seen(s)
		}
	}
	switch {
	case all == 0:
		return ""
	case kinds > 1:
		return t.Text()
	case all == 1:
		return seenWords[last].sign + " " + seenWords[last].word
	}
	return theme.Thousands(all) + " hits " + seenWords[last].sign + " " + seenWords[last].word
}
