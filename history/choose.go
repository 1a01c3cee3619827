package history

import (
	"iter"
	"slices"

	"winnow/history/cause"
)

// choose takes the longest beginning of the priority list that fits. The whole list is tried first:
// it leaves no gap, so it may fit where a beginning of it with its markers does not, even where nothing
// of it does. A summary that is to stand in any case stands first.
func (b *chooser) choose() error {
	if b.o.Policy.SummaryAlways {
		b.condense()
	}
	all := b.raiseAll()
	if b.fits(b.cost.messages) {
		b.remember(b.withoutRecall())
		return nil
	}
	if b.o.Policy.Strategy == DropNone {
		return b.overBudget()
	}
	for _, was := range all {
		b.lower(was)
	}
	if b.need() > b.budget.counted {
		b.stop = Cause{Code: cause.NothingFits}
		return b.overBudget()
	}
	b.condense()
	for inc := range b.increments() {
		was := b.raise(inc, true)
		if !b.fits(was.cost.messages) {
			if b.stop = b.shortfall(was.cost); inc.turn {
				b.stop = Cause{Code: cause.TurnFirst}
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
func (b *chooser) raiseAll() []raised {
	none := b.o.Policy.Strategy == DropNone
	if none || b.o.Policy.Elastic {
		turn := b.raise(increment{turn: true}, true)
		return []raised{b.raise(increment{unit: unit{0, len(b.candidates)}, detail: whole, cause: b.causeOfAll()}, none), turn}
	}
	var all []raised
	for inc := range b.increments() {
		all = append(all, b.raise(inc, true))
		if b.fixed+b.cost.turn+b.cost.body > b.budget.counted {
			break
		}
	}
	slices.Reverse(all)
	return all
}

// change is the detail levels of a candidate, and its cause, before it was raised.
type change struct {
	candidate    int
	body, recall detail
	cause        cause.Code
}

// raised undoes an increment: the cost before it and the detail levels that it changed. The changes are the last
// ones of Conversation.changes.
type raised struct {
	cost    cost
	changes []change
}

// raise takes an increment: each candidate of it that may be sent and is at a lower detail level, with the question
// that it answers. Once the request is too long it stops, unless the whole sum is wanted.
func (b *chooser) raise(inc increment, sum bool) raised {
	was, from := raised{cost: b.cost}, len(b.c.changes)
	if inc.turn {
		b.cost.turn = b.turnRest
		return was
	}
	change := func(i int, body, recall detail, code cause.Code) {
		b.c.changes = append(b.c.changes, change{i, b.bodyDetail[i], b.recallDetail[i], b.cause[i]})
		b.set(i, body, recall)
		b.cause[i] = code
	}
	for i := inc.from; i < inc.to; i++ {
		if b.barred(i) || inc.recall && b.recallDetail[i] >= inc.detail || !inc.recall && (b.bodyDetail[i] >= inc.detail || b.cause[i] == cause.Summarized) {
			continue
		}
		if q := b.questionOf(i); q >= 0 && !b.inBody(q) && !b.barred(q) {
			switch {
			case !inc.recall:
				change(q, short, b.recallDetail[q], cause.Question)
			case b.ordered():
				change(q, b.bodyDetail[q], short, b.cause[q])
			}
		}
		if inc.recall {
			change(i, b.bodyDetail[i], inc.detail, b.cause[i])
			continue
		}
		if change(i, inc.detail, b.recallDetail[i], inc.cause); !sum && b.fixed+b.cost.turn+b.cost.body > b.budget.counted {
			break
		}
	}
	was.changes = slices.Clip(b.c.changes[from:])
	return was
}

// lower takes back the increment that was raised last.
func (b *chooser) lower(was raised) {
	b.c.changes = b.c.changes[:len(b.c.changes)-len(was.changes)]
	for _, c := range slices.Backward(was.changes) {
		b.date(c.candidate, -1)
		b.bodyDetail[c.candidate], b.recallDetail[c.candidate], b.cause[c.candidate] = c.body, c.recall, c.cause
		b.date(c.candidate, 1)
	}
	b.cost = was.cost
}

// remember records the order of the priority list for a plan that holds everything, so that Plan.Next is known.
func (b *chooser) remember(all iter.Seq[increment]) {
	at := make([]detail, len(b.candidates))
	for i := range b.candidates {
		if q := b.questionOf(i); q >= 0 && b.cause[i] == cause.Pinned {
			at[q] = short // in any case
		}
	}
	for inc := range all {
		var changes []change
		for i := inc.from; i < inc.to; i++ {
			if !b.barred(i) && b.cause[i] != cause.Pinned && b.cause[i] != cause.Summarized && at[i] < inc.detail {
				changes = append(changes, change{candidate: i, body: at[i]})
				at[i] = inc.detail
			}
		}
		b.taken = append(b.taken, changes)
	}
}

// causeOfAll is the reason for what is whole because all of it fits.
func (b *chooser) causeOfAll() cause.Code {
	if b.o.Policy.MaxMessages < len(b.candidates) {
		return cause.FreeBudget
	}
	return cause.Fits
}
