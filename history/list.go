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
	recall bool // raises what stands in front of the current message instead
}

// recallShare is how much of what recall and the blocks take is recall's, until it has as much as it may: never the
// last tenth, which stays for what is recent.
const recallShare = 0.9

// increments is the priority list: one order that does not depend on the budget. A request takes its longest beginning
// that fits, so that a larger budget never takes anything away. Behind the opener and the newest turn, recall comes
// first. A block comes in front of it where recall would take more than its share of what the two have with the block:
// so the last tenth of any budget is the blocks', and the order is the same for all budgets.
func (s *selection) increments(recall bool) iter.Seq[increment] {
	return func(yield func(increment) bool) {
		for _, inc := range s.openerAndNewest() {
			if inc.from < inc.to && !yield(inc) {
				return
			}
		}
		if s.hits, s.passed = nil, 0; recall {
			s.findHits()
		}
		next, found := s.nextHit()
		recent := 0 // tokens of the blocks so far
		for inc := range s.blocks() {
			recent += s.price(inc)
			for found && float64(s.cost.recalled)*(1-recallShare) <= recallShare*float64(recent) {
				if !yield(next) {
					return
				}
				next, found = s.nextHit()
			}
			if !yield(inc) {
				return
			}
		}
		for found && yield(next) {
			next, found = s.nextHit()
		}
	}
}

// price is what a block costs more at a detail level than before. The newest turn is not part of it: what that costs
// depends on the budget, and the order of the list must not.
func (s *selection) price(inc increment) int {
	tokens := 0
	for i := inc.from; i < inc.to; i++ {
		if s.barred(i) || s.chosen[i].body >= inc.detail || s.last.holds(i) {
			continue
		}
		tokens += s.rendering(i, inc.detail).tokens - s.rendering(i, s.chosen[i].body).tokens
		if s.chosen[i].body == out {
			tokens += frameMessage
		}
	}
	return tokens
}

// openerAndNewest is the beginning of the priority list. The newest turn comes shortened first: where it does not fit
// whole, something of it stays.
func (s *selection) openerAndNewest() []increment {
	list := []increment{
		{unit: s.opener, detail: short, cause: cause.Opener},
		{unit: s.asked, detail: short, cause: cause.Newest},
	}
	if s.lastWhole == 0 {
		return list
	}
	tokens, most := 0, headTail
	for i := s.last.from; i < s.last.to; i++ {
		tokens += s.candidates[i].tokens + frameMessage
	}
	if tokens <= s.lastWhole {
		most = whole
	}
	return append(list,
		increment{unit: s.last, detail: short, cause: cause.Newest},
		increment{unit: s.last, detail: most, cause: cause.Newest})
}

// blocks is what stands in its place whatever the current message says: the blocks from the newest to the oldest,
// shortened, then the same whole.
func (s *selection) blocks() iter.Seq[increment] {
	return func(yield func(increment) bool) {
		for u := s.joined(s.unitBefore(len(s.candidates))); u.to > 0; u = s.joined(s.unitBefore(u.from)) {
			if !yield(increment{unit: u, detail: short, cause: cause.RecentShort}) {
				return
			}
		}
		for u := s.unitBefore(len(s.candidates)); u.to > 0 && s.elastic(); u = s.unitBefore(u.from) {
			if !yield(increment{unit: u, detail: whole, cause: cause.FreeBudget}) {
				return
			}
		}
	}
}

// unitBefore is what enters or leaves as one, the unit that ends in front of candidate end. It is empty where nothing
// does.
func (s *selection) unitBefore(end int) unit {
	switch {
	case end == 0:
		return unit{}
	case s.o.Policy.Strategy == DropOldest:
		return s.history.groupBefore(end)
	case s.o.Policy.Strategy == DropTurns:
		return unit{s.history.turns[s.candidates[end-1].turn].from, end}
	}
	return s.history.blockBefore(end, s.step)
}

// joinedBlocks is how many blocks may enter and leave as one while they are short.
const joinedBlocks = 2

// joined adds to a block the ones before it that share its place in the conversation, as long as all of them shortened
// are small beside a block. The oldest end of the history then moves in rarer steps, and each of its steps costs a
// whole prompt.
func (s *selection) joined(u unit) unit {
	if s.o.Policy.Strategy != DropMiddle || u.to == 0 {
		return u
	}
	place := func(i int) block {
		b := s.history.block(i, s.step)
		b.number /= joinedBlocks
		return b
	}
	cost, pair := s.shortCost(u), place(u.from)
	for u.from > 0 && place(u.from-1) == pair {
		more := s.history.blockBefore(u.from, s.step)
		if cost += s.shortCost(more); cost > s.step/2 {
			break
		}
		u.from = more.from
	}
	return u
}

func (s *selection) shortCost(u unit) int {
	tokens := 0
	for i := u.from; i < u.to; i++ {
		tokens += s.rendering(i, short).tokens + frameMessage
	}
	return tokens
}

// smallStep is what fits into even a small request, in tokens, or a block where blocks are smaller. What stands at the
// front of the priority list is no more than that: where the first step does not fit, nothing does.
const smallStep = 1024

// newestLeast is what stays whole of the newest turn however small the budget is, in tokens.
const newestLeast = 200

// newestLimit is how many tokens of the newest turn stay whole: it never crowds out the rest.
func (s *selection) newestLimit() int {
	p := s.o.Policy
	limit := p.LastWholeMaxTokens
	if limit == 0 || limit == NoLimit {
		return limit
	}
	if p.LastWholeShare > 0 {
		limit = min(limit, max(newestLeast, int(p.LastWholeShare*float64(s.budget.Limit))))
	}
	return s.budget.countedIn(limit)
}

// findNewest finds the newest turn. Of a tool loop that is longer than a block even when shortened, it is what the user
// asked and the newest calls; the others enter by their blocks.
func (s *selection) findNewestTurn() {
	if s.lastWhole = s.newestLimit(); s.lastWhole == 0 || len(s.candidates) == 0 {
		return
	}
	newest, small := s.history.turns[len(s.history.turns)-1], min(smallStep, s.step)
	s.last = newest.unit
	if s.shortCost(s.last) <= small {
		return
	}
	s.asked = unit{s.last.from, s.last.from}
	if newest.question >= 0 {
		s.asked.to++
	}
	from, tokens := s.last.to, 0
	for from > s.asked.to {
		g := s.history.groupBefore(from)
		if tokens += s.shortCost(g); tokens > small/2 {
			break
		}
		from = g.from
	}
	s.last.from = from
}

// findOpener finds the opener, where the strategy keeps it. One that would crowd out the rest is the user's message
// alone.
func (s *selection) findOpener() {
	if s.o.Policy.Strategy != DropMiddle {
		return
	}
	for i := range s.candidates {
		if v := &s.candidates[i]; v.Role == User && !s.barred(i) {
			s.opener = unit{i, s.history.turns[v.turn].to}
			break
		}
	}
	messages := s.opener.to - s.opener.from
	long := s.shortCost(s.opener) > min(smallStep, s.step)/2
	if messages > 0 && (long || messages > max(1, s.o.Policy.MaxMessages/2)) {
		s.opener.to = s.opener.from + 1
	}
}
