package history

import (
	"iter"
	"slices"
)

// choose takes the longest beginning of the priority list that fits. The whole list is tried first:
// it leaves no gap, so it may fit where a beginning of it with its markers does not.
func (b *builder) choose() error {
	if need := b.need(); need > b.room.counted {
		b.stop = "dropped: what must be sent does not fit by itself"
		return &OverBudgetError{Need: need, Have: b.room.counted}
	}
	all := b.raiseAll()
	if b.fits() {
		b.remember(b.increments())
		return nil
	}
	if b.o.Policy.Strategy == DropNone {
		return &OverBudgetError{Need: b.need(), Have: b.room.counted}
	}
	for _, was := range all {
		b.lower(was)
	}
	for inc := range b.increments() {
		was := b.raise(inc, true)
		if !b.fits() {
			if b.stop = b.shortfall(was.bill); inc.turn {
				b.stop = "dropped: the running turn needs the room"
			}
			b.lower(was)
			b.stopped = inc.span
			return nil
		}
		b.taken = append(b.taken, was.changes)
	}
	return nil
}

// raiseAll takes the whole list, and says how to take it back, the last step first.
func (b *builder) raiseAll() []raised {
	none := b.o.Policy.Strategy == DropNone
	if none || b.o.Policy.Elastic {
		turn := b.raise(increment{turn: true}, true)
		return []raised{b.raise(increment{span: span{0, len(b.views)}, deep: whole, why: b.whyAll()}, none), turn}
	}
	var all []raised
	for inc := range b.increments() {
		all = append(all, b.raise(inc, true))
		if b.fixed+b.bill.turn+b.bill.body > b.room.counted {
			break
		}
	}
	slices.Reverse(all)
	return all
}

// bill is what the chosen texts cost so far. It is a value: a step that does not fit is undone by
// taking the old one back.
type bill struct {
	body     int // tokens of the history's messages with their frames
	chars    int // their characters as sent
	messages int // how many they are
	gaps     int // runs of messages that are left out
	first    int // the first view that is sent
	turn     int // what the running turn costs whole beyond its results at their limit
}

// need is the tokens of the whole request as far as it is chosen.
func (b *builder) need() int { return b.fixed + b.bill.turn + b.bill.body + b.markers(b.bill) }

// fits checks every bound of the policy. The newest messages up to MinMessages may go beyond the
// bounds on the history, never beyond those of the request.
func (b *builder) fits() bool {
	if b.need() > b.room.counted {
		return false
	}
	if p := b.o.Policy; p.Strategy == DropOldest && b.bill.messages <= p.MinMessages {
		return true
	}
	return b.bill.body+b.markers(b.bill) <= b.room.history && b.bill.chars <= b.room.chars
}

// shortfall is the reason for what did not fit, with its sum; was is the bill without it.
func (b *builder) shortfall(was bill) string {
	before, after := was.body+b.markers(was), b.bill.body+b.markers(b.bill)
	most, unit := b.room.counted-b.fixed-was.turn, ""
	if after <= most {
		most = b.room.history
	}
	if after <= most {
		before, after, most, unit = was.chars, b.bill.chars, b.room.chars, " characters"
	}
	return "dropped: next in line, needed " + grouped(after-before) + unit + ", " + grouped(max(0, most-before)) + " left"
}

// change is what a view was before it was raised.
type change struct {
	view int
	was  depth
	why  reason
}

// raised is how to take an increment back.
type raised struct {
	bill    bill
	changes []change
}

// raise takes an increment: each view of it that may be sent and is not as deep yet. Once the
// request is too long it stops, unless the whole sum is wanted.
func (b *builder) raise(inc increment, sum bool) raised {
	was := raised{bill: b.bill}
	if inc.turn {
		b.bill.turn = b.turnRest
		return was
	}
	for i := inc.from; i < inc.to; i++ {
		if b.barred(i) || b.depth[i] >= inc.deep {
			continue
		}
		was.changes = append(was.changes, change{i, b.depth[i], b.why[i]})
		before, after := b.form(i, b.depth[i]), b.form(i, inc.deep)
		b.bill.body += after.tokens - before.tokens
		b.bill.chars += runes(after.text) - runes(before.text)
		if b.depth[i] == out {
			b.enter(i)
		}
		b.depth[i], b.why[i] = inc.deep, inc.why
		if !sum && b.fixed+b.bill.turn+b.bill.body > b.room.counted {
			break
		}
	}
	return was
}

// enter counts a view that was left out and is not any more.
func (b *builder) enter(i int) {
	b.bill.first = min(b.bill.first, i)
	b.bill.body += frameMessage + b.bridge(&b.views[i])
	if !b.views[i].made {
		b.bill.messages++
	}
	before := b.neighbour(i, -1)
	after := b.neighbour(i, 1)
	gapBefore := before >= 0 && b.depth[before] == out
	gapAfter := after >= 0 && b.depth[after] == out
	switch {
	case gapBefore && gapAfter:
		b.bill.gaps++
	case !gapBefore && !gapAfter:
		b.bill.gaps--
	}
}

// neighbour is the next view in a direction that has a place in the request's body, -1 for none.
func (b *builder) neighbour(i, step int) int {
	for i += step; i >= 0 && i < len(b.views); i += step {
		if b.views[i].Role != System {
			return i
		}
	}
	return -1
}

// lower takes an increment back.
func (b *builder) lower(was raised) {
	for _, c := range was.changes {
		b.depth[c.view], b.why[c.view] = c.was, c.why
	}
	b.bill = was.bill
}

// remember notes in which order the whole list was taken, for a plan that holds everything.
func (b *builder) remember(all iter.Seq[increment]) {
	at := make([]depth, len(b.views))
	for inc := range all {
		var changes []change
		for i := inc.from; i < inc.to; i++ {
			if !b.barred(i) && b.why[i] != whyPinned && at[i] < inc.deep {
				changes = append(changes, change{view: i, was: at[i]})
				at[i] = inc.deep
			}
		}
		b.taken = append(b.taken, changes)
	}
}

// whyAll is the reason for what is whole because all of it fits.
func (b *builder) whyAll() reason {
	if b.overCap != "" {
		return whyRoom
	}
	return whyFits
}
