package history

import (
	"iter"
	"slices"
)

// choose takes the longest beginning of the priority list that fits. The whole list is tried first:
// it leaves no gap, so it may fit where a beginning of it with its markers does not, even where nothing
// of it does. A summary that is to stand in any case stands first.
func (b *builder) choose() error {
	if b.o.Policy.SummaryAlways {
		b.condense()
	}
	all := b.raiseAll()
	if b.fits(b.bill.messages) {
		b.remember(b.inPlace())
		return nil
	}
	if b.o.Policy.Strategy == DropNone {
		return b.overBudget()
	}
	for _, was := range all {
		b.lower(was)
	}
	if b.need() > b.room.counted {
		b.stop = Cause{Code: CauseNothingFits}
		return b.overBudget()
	}
	b.condense()
	for inc := range b.increments() {
		was := b.raise(inc, true)
		if !b.fits(was.bill.messages) {
			if b.stop = b.shortfall(was.bill); inc.turn {
				b.stop = Cause{Code: CauseTurnRoom}
			}
			b.lower(was)
			b.stopped = inc
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

// change is what a view was before it was raised.
type change struct {
	view      int
	was, back depth
	why       CauseCode
}

// raised is how to take an increment back. Its changes are the newest of Conversation.changes.
type raised struct {
	bill    bill
	changes []change
}

// raise takes an increment: each view of it that may be sent and is not as deep yet, with the question
// that it answers. Once the request is too long it stops, unless the whole sum is wanted.
func (b *builder) raise(inc increment, sum bool) raised {
	was, from := raised{bill: b.bill}, len(b.c.changes)
	if inc.turn {
		b.bill.turn = b.turnRest
		return was
	}
	change := func(i int, d, back depth, why CauseCode) {
		b.c.changes = append(b.c.changes, change{i, b.depth[i], b.back[i], b.why[i]})
		b.set(i, d, back)
		b.why[i] = why
	}
	for i := inc.from; i < inc.to; i++ {
		if b.barred(i) || inc.recall && b.back[i] >= inc.deep || !inc.recall && (b.depth[i] >= inc.deep || b.why[i] == CauseSummarized) {
			continue
		}
		if q := b.questionOf(i); q >= 0 && !b.placed(q) && !b.barred(q) {
			switch {
			case !inc.recall:
				change(q, short, b.back[q], CauseQuestion)
			case b.ordered():
				change(q, b.depth[q], short, b.why[q])
			}
		}
		if inc.recall {
			change(i, b.depth[i], inc.deep, b.why[i])
			continue
		}
		if change(i, inc.deep, b.back[i], inc.why); !sum && b.fixed+b.bill.turn+b.bill.body > b.room.counted {
			break
		}
	}
	was.changes = slices.Clip(b.c.changes[from:])
	return was
}

// lower takes back the increment that was raised last.
func (b *builder) lower(was raised) {
	b.c.changes = b.c.changes[:len(b.c.changes)-len(was.changes)]
	for _, c := range slices.Backward(was.changes) {
		b.date(c.view, -1)
		b.depth[c.view], b.back[c.view], b.why[c.view] = c.was, c.back, c.why
		b.date(c.view, 1)
	}
	b.bill = was.bill
}

// remember notes in which order the whole list was taken, for a plan that holds everything.
func (b *builder) remember(all iter.Seq[increment]) {
	at := make([]depth, len(b.views))
	for i := range b.views {
		if q := b.questionOf(i); q >= 0 && b.why[i] == CausePinned {
			at[q] = short // in any case
		}
	}
	for inc := range all {
		var changes []change
		for i := inc.from; i < inc.to; i++ {
			if !b.barred(i) && b.why[i] != CausePinned && b.why[i] != CauseSummarized && at[i] < inc.deep {
				changes = append(changes, change{view: i, was: at[i]})
				at[i] = inc.deep
			}
		}
		b.taken = append(b.taken, changes)
	}
}

// whyAll is the reason for what is whole because all of it fits.
func (b *builder) whyAll() CauseCode {
	if b.o.Policy.MaxMessages < len(b.views) {
		return CauseRoom
	}
	return CauseFits
}
