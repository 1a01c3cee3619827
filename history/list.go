package history

import (
	"iter"

	"winnow/history/cause"
)

// increment raises a unit to a detail level. The priority list is a sequence of increments.
type increment struct {
	unit
	detail detail
	cause  cause.Code
	recall bool // raises the detail in the block of recalled texts instead of the body
}

// recallShare is the largest share of the tokens of recall and blocks that recall may take. The rest is kept for recent
// messages.
const recallShare = 0.9

// increments yields the priority list. Its order does not depend on the budget: a request takes the longest prefix that
// fits, so a larger budget never removes anything. The opener and the newest turn come first. Recall comes before the
// blocks, except that a block goes first whenever recall would otherwise take more than its share of both.
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

// price returns the additional cost of a block at a detail level. It leaves out the newest turn, whose cost depends on
// the budget: the order of the list must not depend on it.
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

// openerAndNewest returns the start of the priority list. The newest turn comes shortened before it comes whole, so
// that something of it remains if all of it does not fit.
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

// blocks yields the part of the list that does not depend on the current message: the blocks from newest to oldest,
// first shortened, then whole.
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

// unitBefore returns the unit that ends in front of candidate end and that enters or leaves the request as a whole. It
// is empty if end is 0.
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

// joinedBlocks is how many short blocks may enter and leave together.
const joinedBlocks = 2

// joined extends a block by the ones before it, as long as they belong to the same pair and their shortened texts
// together are small. The old end of the history then moves less often. Each move makes the server read the whole
// prompt again.
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

// shortCost returns the tokens of a unit at the level short.
func (s *selection) shortCost(u unit) int {
	tokens := 0
	for i := u.from; i < u.to; i++ {
		tokens += s.rendering(i, short).tokens + frameMessage
	}
	return tokens
}

// smallStep limits the size in tokens of what comes first in the priority list. If the first step did not fit, nothing
// would. Where blocks are smaller than this, their size is the limit.
const smallStep = 1024

// newestLeast is how many tokens of the newest turn stay whole even with the smallest budget.
const newestLeast = 200

// newestLimit returns how many tokens of the newest turn stay whole, so that it never crowds out everything else.
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

// findNewestTurn finds the newest turn. Of a tool loop that is longer than a block even if shortened, it takes the
// user's question and the newest calls; the other calls enter with their blocks.
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

// findOpener finds the opening turn, if the strategy keeps it. Of a long opening turn it takes the user's message
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
