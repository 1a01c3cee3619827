package history

import (
	"iter"

	"winnow/history/cause"
)

// increment raises a unit to a detail level. The priority list is made of increments.
type increment struct {
	unit
	detail detail
	cause  cause.Code
	turn   bool // raises the running turn instead: its results whole
	recall bool // raises what stands in front of the current message instead
}

// increments is the priority list: one order that does not depend on the budget. A request takes
// its longest beginning that fits, so that a larger budget never takes anything away. Behind the opener
// and the newest turn, what is steady and what is recalled take turns, so that each has had its share
// of what is spent on the two: the many small steps of recall fill what a large step of the
// other part would leave free.
func (b *chooser) increments() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		for inc := range b.openerAndNewest() {
			if !yield(inc) {
				return
			}
		}
		steady, stopSteady := iter.Pull(b.steady())
		defer stopSteady()
		recalled, stopRecalled := iter.Pull(b.recall())
		defer stopRecalled()
		from, share := b.steadySpent(), b.o.Policy.RecallShare
		inc, more := steady()
		cost := b.steadyCost(inc, more)
		for hit, found := recalled(); more || found; {
			// Recall comes first until it has its share of what the two have with the next steady step.
			next := float64(b.steadySpent() - from + cost)
			if found && (!more || float64(b.cost.recalled)*(1-share) <= share*next) {
				if !yield(hit) {
					return
				}
				hit, found = recalled()
				continue
			}
			if !yield(inc) {
				return
			}
			inc, more = steady()
			cost = b.steadyCost(inc, more)
		}
	}
}

// steadyCost is what a step of the steady part would cost.
func (b *chooser) steadyCost(inc increment, more bool) int {
	if !more {
		return 0
	}
	before := b.steadySpent()
	was := b.raise(inc, true)
	cost := b.steadySpent() - before
	b.lower(was)
	return cost
}

// steadySpent is what the steady part has cost so far. The newest turn is not part of it: what that
// costs depends on the budget, and the order of the list must not.
func (b *chooser) steadySpent() int {
	spent := b.cost.body
	if b.ordered() {
		spent -= b.cost.recalled
	}
	for i := b.last.from; i < b.last.to; i++ {
		spent -= b.rendering(i, b.bodyDetailOf(i)).price()
	}
	return spent
}

// withoutRecall is the priority list without what is recalled.
func (b *chooser) withoutRecall() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		for _, part := range []iter.Seq[increment]{b.openerAndNewest(), b.steady()} {
			for inc := range part {
				if !yield(inc) {
					return
				}
			}
		}
	}
}

// openerAndNewest is the beginning of the priority list: the opener and the newest turn.
func (b *chooser) openerAndNewest() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		if b.opener.to > b.opener.from && !yield(increment{unit: b.opener, detail: short, cause: cause.Opener}) {
			return
		}
		if !yield(increment{unit: b.asked, detail: short, cause: cause.Newest}) {
			return
		}
		// First the newest turn shortened: where it does not fit whole, something of it stays.
		if b.lastWhole > 0 && b.last.to > b.last.from {
			if !yield(increment{unit: b.last, detail: short, cause: cause.Newest}) || !yield(increment{unit: b.last, detail: b.newestDetail(), cause: cause.Newest}) {
				return
			}
		}
		if b.turnRest > 0 {
			yield(increment{turn: true})
		}
	}
}

// steady is what stands in its place whatever the current message says: the blocks from the newest to
// the oldest, shortened, then the same whole.
func (b *chooser) steady() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		for end := len(b.candidates); end > 0; {
			u := b.joined(b.unitBefore(end))
			if !yield(increment{unit: u, detail: short, cause: cause.RecentShort}) {
				return
			}
			end = u.from
		}
		if !b.o.Policy.Elastic {
			return
		}
		for end := len(b.candidates); end > 0; {
			u := b.unitBefore(end)
			if !yield(increment{unit: u, detail: whole, cause: cause.FreeBudget}) {
				return
			}
			end = u.from
		}
	}
}

// joinedBlocks is how many blocks may enter and leave as one while they are short.
const joinedBlocks = 2

// joined adds to a block the ones before it that share its place in the conversation, as long as all
// of them shortened are small beside a block. The oldest end of the history then moves in rarer
// steps, and each of its steps costs a whole prompt.
func (b *chooser) joined(u unit) unit {
	if b.o.Policy.Strategy != DropMiddle {
		return u
	}
	cost, pair := b.shortCost(u), b.t.block(u.from, b.step)
	pair.number /= joinedBlocks
	for u.from > 0 {
		next := b.t.block(u.from-1, b.step)
		if next.number /= joinedBlocks; next != pair {
			break
		}
		more := b.t.blockBefore(u.from, b.step)
		if cost += b.shortCost(more); cost > b.step/2 {
			break
		}
		u.from = more.from
	}
	return u
}

func (b *chooser) shortCost(s unit) int {
	cost := 0
	for i := s.from; i < s.to; i++ {
		cost += b.rendering(i, short).tokens + frameMessage
	}
	return cost
}

// unitBefore is what enters or leaves as one, the unit that ends in front of candidate end.
func (b *chooser) unitBefore(end int) unit {
	switch b.o.Policy.Strategy {
	case DropOldest:
		return b.t.groupBefore(end)
	case DropTurns:
		return unit{b.t.turns[b.candidates[end-1].turn].from, end}
	}
	return b.t.blockBefore(end, b.step)
}

// newestDetail is whole for a newest turn up to the policy's tokens.
func (b *chooser) newestDetail() detail {
	cost := 0
	for i := b.last.from; i < b.last.to; i++ {
		cost += b.candidates[i].tokens + frameMessage
	}
	if cost <= b.lastWhole {
		return whole
	}
	return headTail
}

// smallStep is what fits into even a small request, in tokens. What stands at the front of the
// priority list is no more than that: where the first step does not fit, nothing does.
const smallStep = 1024

// small is smallStep, or a block where blocks are smaller.
func (b *chooser) small() int { return min(smallStep, b.step) }

// findNewest finds the newest turn. Of a tool loop that is longer than a block even when shortened,
// it is what the user asked and the newest calls; the others enter by their blocks.
func (b *chooser) findNewest() {
	b.last = b.t.turns[len(b.t.turns)-1].unit
	if b.shortCost(b.last) <= b.small() {
		return
	}
	b.asked = unit{b.last.from, b.last.from}
	for b.asked.to < b.last.to && b.candidates[b.asked.to].role() == User {
		b.asked.to++
	}
	from, cost := b.last.to, 0
	for from > b.asked.to {
		g := b.t.groupBefore(from)
		if cost += b.shortCost(g); cost > b.small()/2 {
			break
		}
		from = g.from
	}
	b.last.from = from
}

// newestLimit is how many tokens of the newest turn stay whole: it never crowds out the rest.
func (b *chooser) newestLimit() int {
	p := b.o.Policy
	if p.LastWholeMaxTokens == 0 || p.LastWholeMaxTokens == NoLimit {
		return p.LastWholeMaxTokens
	}
	limit := p.LastWholeMaxTokens
	if p.LastWholeShare > 0 {
		limit = min(limit, max(newestLeast, int(p.LastWholeShare*float64(b.budget.limit))))
	}
	return b.budget.countedIn(limit)
}

// newestLeast is what stays whole of the newest turn however small the budget is, in tokens.
const newestLeast = 200

// findOpenerAndNewest finds the opener and the newest turn. An opener that would crowd out the rest is the
// user's messages alone.
func (b *chooser) findOpenerAndNewest() {
	p := b.o.Policy
	if len(b.candidates) == 0 {
		return
	}
	if b.lastWhole = b.newestLimit(); b.lastWhole > 0 {
		b.findNewest()
	}
	if p.Strategy != DropMiddle {
		return
	}
	first := 0
	for first < len(b.candidates) && (b.candidates[first].role() != User || b.barred(first)) {
		first++
	}
	if first == len(b.candidates) {
		return
	}
	o := unit{first, b.t.turns[b.candidates[first].turn].to}
	if b.shortCost(o) > b.small()/2 || o.to-o.from > max(1, p.MaxMessages/2) {
		for o.to = o.from + 1; o.to < len(b.candidates) && b.candidates[o.to].role() == User; {
			o.to++
		}
	}
	b.opener = o
}
