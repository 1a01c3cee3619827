package transcript

import "winnow/ui/theme"

// seen is whether the model sees a hit in the request on show.
type seen int

// A hit is in the request, in a part of a message that is cut away, in a message that is not sent, or
// in one that is not in the request's plan.
const (
	inContext seen = iota
	cutAway
	leftOut
	notKnown
)

// tally counts hits by what the model sees of them.
type tally [notKnown + 1]int

// sees says what the model sees of a hit.
func (c *Model) sees(h hit) seen {
	if h.message >= c.Messages.Len() || h.message >= len(c.Plan.Entries) ||
		c.Plan.Entries[h.message].ID != c.Messages.ID(h.message) {
		return notKnown
	}
	e := c.Plan.Entries[h.message]
	switch {
	case !e.Sent():
		return leftOut
	case h.call >= 0:
		return inContext
	}
	for _, cut := range e.Cuts {
		if h.span.From < cut.To && cut.From < h.span.To {
			return cutAway
		}
	}
	return inContext
}

// countHits counts the hits by the plan on show.
func (c *Model) countHits() {
	c.Search.tally = tally{}
	for _, h := range c.Search.hits {
		c.Search.tally[c.sees(h)]++
	}
}

// hitTag counts the hits in an item for the tag beside it, "" for none.
func (c *Model) hitTag(id int64) string {
	if len(c.Search.hits) == 0 {
		return ""
	}
	message := id
	if owner, is := c.owner[id]; is {
		message = owner
	}
	i, ok := c.Index(message)
	if !ok {
		return ""
	}
	var t tally
	for _, h := range c.Search.hits[c.Search.firstIn(i):] {
		if h.message != i {
			break
		}
		if c.itemOf(h) == id {
			t[c.sees(h)]++
		}
	}
	return t.tag()
}

// words of what the model sees of a hit, with their signs.
var seenWords = [...]struct{ sign, word string }{
	inContext: {"●", "sent"},
	cutAway:   {"◐", "cut"},
	leftOut:   {"○", "not sent"},
	notKnown:  {"?", "not known"},
}

// text names what is not nothing: "7 sent, 2 cut, 3 not sent".
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

// tag is the counts for the tag beside a message: one word where the model sees all hits alike.
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
	return theme.Thousands(all) + " matches " + seenWords[last].sign + " " + seenWords[last].word
}
