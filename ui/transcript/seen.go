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
	inContext seen = iota
	cutAway
	leftOut
	notKnown
)

// tally counts hits by what the model sees of them.
type tally [notKnown + 1]int

// sees says what the model sees of a place with one span.
func (c *Model) sees(x place) (seen, history.Entry) {
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
func (c *Model) tally(t *tally, x place) history.Entry {
	if x.message >= len(c.Messages) {
		return history.Entry{}
	}
	e, ok := c.Verdict(c.Messages[x.message].ID)
	switch {
	case !ok:
		t[notKnown] += len(x.spans)
		return e
	case !e.Sent():
		t[leftOut] += len(x.spans)
		return e
	case x.call >= 0 || len(e.Cuts) == 0:
		t[inContext] += len(x.spans)
		return e
	}
	for _, s := range x.spans {
		t[among(e.Cuts, s)]++
	}
	return e
}

// among says whether a span of a message that is sent lies in a part of it that is not.
func among(cuts []history.Range, s Span) seen {
	for _, cut := range cuts {
		if s.From < cut.To && cut.From < s.To {
			return cutAway
		}
	}
	return inContext
}

// countHits counts the hits by the plan on show.
func (c *Model) countHits() {
	c.Search.tally = tally{}
	for _, x := range c.Search.places {
		c.tally(&c.Search.tally, x)
	}
}

// hitTag is what stands beside an item with hits, "" for one without.
func (c *Model) hitTag(id int64) string {
	if len(c.Search.places) == 0 {
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
func (c *Model) hitsOf(place int, item int64) tally {
	f := &c.Search
	var t tally
	for _, x := range f.places[f.firstIn(place):] {
		if x.message != place {
			break
		}
		if c.itemOf(x) == item {
			c.tally(&t, x)
		}
	}
	return t
}

// words of what the model sees of a hit, with their signs.
var seenWords = [...]struct{ sign, word string }{
	inContext: {"●", "in context"},
	cutAway:   {"✂", "cut"},
	leftOut:   {"○", "out"},
	notKnown:  {"?", "not known"},
}

// text names what is not nothing: "7 in context, 2 cut, 3 out".
func (t tally) text() string {
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
	all, kinds, last := 0, 0, inContext
	for s, n := range t {
		if all += n; n > 0 {
			kinds, last = kinds+1, seen(s)
		}
	}
	switch {
	case all == 0:
		return ""
	case kinds > 1:
		return t.text()
	case all == 1:
		return seenWords[last].sign + " " + seenWords[last].word
	}
	return theme.Thousands(all) + " hits " + seenWords[last].sign + " " + seenWords[last].word
}
