package ui

import (
	"context"
	"errors"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/ui/markdown"
	"winnow/ui/transcript"
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
func (c *chat) sees(x found) (seen, history.Entry) {
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
func (c *chat) tally(t *tally, x found) history.Entry {
	if x.message >= len(c.messages) {
		return history.Entry{}
	}
	e, ok := c.verdict(c.messages[x.message].ID)
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
func among(cuts []history.Range, s transcript.Span) seen {
	for _, cut := range cuts {
		if s.From < cut.To && cut.From < s.To {
			return cutAway
		}
	}
	return inContext
}

// judge counts the hits by the plan on show.
func (f *find) judge(c *chat) {
	f.tally = tally{}
	for _, x := range f.found {
		c.tally(&f.tally, x)
	}
}

// hitTag is what stands beside an item with hits, "" for one without.
func (c *chat) hitTag(id int64) string {
	if c.find == nil || len(c.find.found) == 0 {
		return ""
	}
	message := id
	if owner, is := c.owner[id]; is {
		message = owner
	}
	place, ok := c.place[message]
	if !ok {
		return ""
	}
	return c.hitsOf(place, id).tag()
}

// hitsOf counts the hits in one item of the message at a place.
func (c *chat) hitsOf(place int, item int64) tally {
	f := c.find
	var t tally
	lo, hi := 0, len(f.found)
	for lo < hi {
		if mid := (lo + hi) / 2; f.found[mid].message < place {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	for ; lo < len(f.found) && f.found[lo].message == place; lo++ {
		if x := f.found[lo]; c.itemOf(x) == item {
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
		text += thousands(n) + " " + seenWords[s].word
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
	return thousands(all) + " hits " + seenWords[last].sign + " " + seenWords[last].word
}

// findTitle counts the hits, for the frame of the transcript.
func (m *Model) findTitle() string {
	f := &m.find
	switch {
	case !f.on || f.text == "" || !f.done && f.total == 0:
		return ""
	case f.total == 0:
		return "no hits"
	case !m.panel.shown().ready:
		return plural(f.total, "hit")
	}
	return plural(f.total, "hit") + ": " + f.tally.text()
}

// hitText says where the user's hit is and what the model sees of it.
func (m *Model) hitText() string {
	f := &m.find
	x, ok := f.hit()
	switch {
	case f.text == "":
		return "type what to look for"
	case !f.done && f.total == 0:
		return "looking …"
	case !ok || x.message >= len(m.chat.messages):
		return "nowhere in this conversation"
	}
	text := "hit " + thousands(f.at+1) + " of " + thousands(f.total)
	switch {
	case f.total == 1 && f.around != 0:
		text = "the only hit"
	case f.around > 0:
		text += ", from the top"
	case f.around < 0:
		text += ", from the end"
	}
	s, e := m.chat.sees(x)
	switch s {
	case inContext:
		return text + " · ● in context"
	case cutAway:
		text += " · ✂ cut: this place is not sent"
	case leftOut:
		text += " · ○ out: " + string(e.Disposition)
	default:
		return text + " · ? this request does not know the message"
	}
	last, ok := f.whole[m.chat.messages[x.message].ID]
	switch {
	case !ok:
		return text
	case last.never:
		return text + " · never whole"
	}
	return text + " · last whole in turn " + thousands(last.turn) + " (" + answersAgo(m.info.Turns-last.turn) + ")"
}

// answersAgo is how many answers lie behind a turn.
func answersAgo(n int) string {
	if n <= 0 {
		return "the last answer"
	}
	return plural(n, "answer") + " ago"
}

// askWhole asks when the model saw the message of the user's hit whole, where it does not see the hit
// now. One question is asked at a time: what the user has left meanwhile needs no answer.
func (m *Model) askWhole() tea.Cmd {
	f := &m.find
	x, ok := f.hit()
	if !ok || f.asking || x.message >= len(m.chat.messages) {
		return nil
	}
	id := m.chat.messages[x.message].ID
	if s, _ := m.chat.sees(x); s != cutAway && s != leftOut {
		return nil
	}
	if _, known := f.whole[id]; known {
		return nil
	}
	f.asking = true
	within, s := m.within, m.session
	return func() tea.Msg {
		ctx, cancel := within()
		defer cancel()
		seen, err := s.LastWhole(ctx, id)
		at, ok := seen[id]
		return wholeMsg{s, id, lastWhole{at.Turn, !ok}, err}
	}
}

// wholeKnown takes the answer, and asks again where the user has gone on.
func (m *Model) wholeKnown(msg wholeMsg) tea.Cmd {
	f := &m.find
	if msg.session != m.session {
		return nil
	}
	f.asking = false
	if msg.err != nil {
		if errors.Is(msg.err, context.Canceled) {
			return nil
		}
		return m.complain(sentence(msg.err))
	}
	if f.whole == nil {
		f.whole = map[int64]lastWhole{}
	}
	f.whole[msg.message] = msg.last
	return m.askWhole()
}

// findLine is the search line: what is looked for, then the hit that the user is at. The cursor stands
// at column x.
func (m *Model) findLine(w int) (line string, x int) {
	st, f := m.styles, &m.find
	text := f.text
	room := max(1, w/2)
	for fitWidth(text) > room {
		_, n := utf8.DecodeRuneInString(text)
		text = text[n:]
	}
	status := m.hitText()
	if f.open && m.toast.text != "" {
		status = markdown.OneLine(m.toast.text, w)
	}
	hint := ""
	if !f.open && f.total > 0 {
		hint = firstKey(m.keys.NextHit) + " " + firstKey(m.keys.PrevHit) + " go on · " + firstKey(m.keys.Back) + " ends "
	}
	left := " / "
	if f.open {
		left = " " + st.accent.Render("/") + " "
	}
	x = min(3+fitWidth(text), max(0, w-1))
	line = left + text + st.dim.Render("  ") + st.strong.Render(status)
	if fitWidth(line)+2+fitWidth(hint) > w {
		return fit(line, w), x
	}
	return spread(line, st.dim.Render(hint), w), x
}
