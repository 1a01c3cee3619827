package history

import (
	"winnow/history/cause"
)

// exclude bars what the user took out, a message with its whole tool group, and what a narrowed request is not
// about. With a question go the answers to it, but for those that are pinned.
func (b *chooser) exclude() {
	var inScope map[int]bool
	if b.o.Scope != nil {
		inScope = b.narrow()
	}
	excluded := b.flagged(Exclude)
	if len(excluded) == 0 && b.o.Scope == nil {
		return
	}
	for i := range b.candidates {
		v, code := &b.candidates[i], cause.Excluded
		switch {
		case excluded[v.group]:
		case b.o.Scope != nil && !inScope[v.group]:
			code = narrowedCauses[b.o.Scope.For]
		default:
			continue
		}
		if v.role() == System {
			b.fixed -= v.tokens + frameMessage + frameJoint
		}
		b.bodyDetail[i], b.cause[i] = out, code
	}
	if len(excluded) == 0 {
		return
	}
	pinned := b.flagged(Pin)
	for i := range b.candidates {
		if q := b.questionOf(i); q >= 0 && b.cause[q] == cause.Excluded && !b.barred(i) && !pinned[b.candidates[i].group] {
			b.cause[i] = cause.QuestionExcluded
		}
	}
}

// flagged is the groups with a flag. One on any message of a tool group holds for the whole group, even on a
// result that is not sent, because the same one stands there already, because tool calls are left out, or because the
// user had the damaged group left out.
func (b *chooser) flagged(f Flag) map[int]bool {
	rows := b.flaggedRows(f)
	if len(rows) == 0 {
		return nil
	}
	groups := map[int]bool{}
	for i := range b.candidates {
		if v := &b.candidates[i]; rows[v.from] {
			groups[v.group] = true
		}
	}
	return groups
}

// flaggedRows is the positions of the messages with a flag, and of those in their tool groups.
func (b *chooser) flaggedRows(f Flag) map[int]bool {
	if len(b.o.Flags) == 0 {
		return nil
	}
	groups, rows := map[int]bool{}, map[int]bool{}
	for i := range b.c.candidates {
		if v := &b.c.candidates[i]; !v.standIn && b.o.Flags[b.c.id(v)] == f {
			groups[v.group] = true
		}
	}
	hold := func(unsent map[int]int) {
		for at, group := range unsent {
			if b.o.Flags[b.c.base.at(at).id] == f {
				groups[group] = true
			}
		}
	}
	hold(b.c.doubled)
	hold(b.c.left)
	if len(groups) == 0 {
		return nil
	}
	for i := range b.c.candidates {
		if v := &b.c.candidates[i]; groups[v.group] {
			rows[v.from] = true
		}
	}
	for group := range groups {
		rows[group] = true // the call, which may be left out too
	}
	for _, unsent := range []map[int]int{b.c.doubled, b.c.left} {
		for at, group := range unsent {
			if groups[group] {
				rows[at] = true
			}
		}
	}
	return rows
}

// pin takes what the user wants whole, a message with its whole tool group.
func (b *chooser) pin() {
	pinned := b.flagged(Pin)
	if len(pinned) == 0 {
		return
	}
	for i, v := range b.candidates {
		if pinned[v.group] {
			b.raise(increment{unit: unit{i, i + 1}, detail: whole, cause: cause.Pinned}, true)
		}
	}
}

// barred reports whether the priority list must not raise a candidate.
func (b *chooser) barred(i int) bool {
	switch b.cause[i] {
	case cause.Excluded, cause.QuestionExcluded, cause.MessageCap:
		return true
	}
	return b.outOfScope(i) || b.candidates[i].role() == System
}

// outOfScope reports whether the request is about other messages than a candidate.
func (b *chooser) outOfScope(i int) bool {
	switch b.cause[i] {
	case cause.Alone, cause.OtherMessages, cause.Title, cause.Invalid:
		return true
	}
	return false
}

// cap bars what is over the policy's number of messages: the opener counts first, then the newest.
// Tool groups stay together, and an answer stays with its question, so the number may be missed by less
// than one group and its question.
func (b *chooser) cap() {
	left := b.o.Policy.MaxMessages
	if left >= len(b.candidates) {
		return
	}
	left -= b.cost.messages
	count := func(s unit) (n int) {
		for i := s.from; i < s.to; i++ {
			if !b.barred(i) && b.bodyDetail[i] == out && !b.candidates[i].standIn {
				n++
			}
		}
		return n
	}
	// What the cap allows of the opener is its beginning.
	for b.opener.to > b.opener.from && count(b.opener) > left {
		b.opener.to = b.t.groupBefore(b.opener.to).from
	}
	left -= count(b.opener)
	asked := -1 // the question that came in with an answer
	for end := len(b.candidates); end > 0; {
		g := b.t.groupBefore(end)
		end = g.from
		if g.from == asked || g.from >= b.opener.from && g.to <= b.opener.to {
			continue
		}
		n, q := count(g), b.questionOf(g.from)
		withQuestion := n > 0 && q >= 0 && q != asked && (q < b.opener.from || q >= b.opener.to)
		if withQuestion {
			n += count(unit{q, q + 1})
		}
		if n <= left {
			if left -= n; withQuestion {
				asked = q
			}
			continue
		}
		left = 0
		for i := g.from; i < g.to; i++ {
			if !b.barred(i) && b.bodyDetail[i] == out {
				b.cause[i] = cause.MessageCap
			}
		}
	}
}
