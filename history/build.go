package history

import (
	"slices"
	"sort"

	"winnow/history/cause"
	"winnow/history/message"
)

// Build decides one request from a history, the policy and the running turn. When what must be sent does not fit, the
// plan comes with an *OverBudgetError. With RecoverStrict, the plan of a damaged history comes with a *DamagedError.
func Build(past []Message, o Options) (Plan, error) { return Read(past, o.Count).Build(o) }

// Build is the same for a history that is already read.
func (c *Conversation) Build(o Options) (Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	plan, err := c.plan(o)
	if o.Policy.Recovery == RecoverStrict {
		if fault := damage(plan); fault != nil {
			return plan, fault
		}
	}
	if sendable(plan, o) {
		return plan, err
	}
	return c.fallback(o)
}

// plan is one pass of the pipeline.
func (c *Conversation) plan(o Options) (Plan, error) {
	s := c.selectFor(o)
	p := s.plan()
	if !s.over {
		return p, nil
	}
	// The request is refused for the most that it may cost, so that the sum shows this number too.
	p.Sum.Frame += s.need() - p.Sum.Total
	p.Sum.Total = s.need()
	return p, s.overBudget(p)
}

// fallback plans a request that is certainly valid: tool calls of the past as text, then nothing but the system prompt
// and the user's message.
func (c *Conversation) fallback(o Options) (Plan, error) {
	o.Policy.ToolHistory = ToolsText
	if plan, err := c.plan(o); sendable(plan, o) {
		return plan, err
	}
	o.Scope = &Scope{For: cause.Invalid}
	o.Turn = slices.DeleteFunc(slices.Clone(o.Turn), func(m Message) bool { return m.Role != User })
	return c.plan(o)
}

// sendable checks what is about to be sent as the strictest server would. A preview without a current message is
// checked as if one followed.
func sendable(p Plan, o Options) bool {
	if len(o.Turn) > 0 {
		return Valid(p.Messages, o.Profile) == nil
	}
	next := []Message{{Role: User, Content: "?"}}
	if n := len(p.Messages); n > 0 && (p.Messages[n-1].Role == User || o.Profile.NoToolToUser) {
		next = nil
	}
	return Valid(slices.Concat(p.Messages, next), o.Profile) == nil
}

// selectFor is the pipeline up to what is sent of every message.
func (c *Conversation) selectFor(o Options) *selection {
	s := c.newSelection(o)
	s.narrowTurn()
	s.countFixed()
	s.exclude()
	s.takeSystem()
	s.findSummary()
	s.findNewest()
	s.findOpener()
	s.pin()
	s.capMessages()
	s.fitResults()
	s.cutCurrent()
	s.choose()
	return s
}

// newSelection reads the history and the running turn for an endpoint, and measures the budget.
func (c *Conversation) newSelection(o Options) *selection {
	if message.IsBlank(o.System) {
		o.System = "" // Servers refuse a message that says nothing.
	}
	o.System = message.Clean(o.System)
	t := c.thread(readingFor(o))
	s := &selection{
		c: c, o: o, history: t, candidates: t.candidates, turn: c.turnFor(o, t), budget: measureBudget(o),
		step: o.Policy.step(), chosen: make([]choice, len(t.candidates)), covered: make([]bool, len(t.candidates)),
		days: map[int64]int{}, shortened: map[int]rendering{},
	}
	if s.neighbour(-1, 1) >= 0 {
		s.cost.gaps = 1
	}
	return s
}

// current is the candidate of the current message in the turn, -1 for none.
func (s *selection) current() int {
	return slices.IndexFunc(s.turn.candidates, func(v candidate) bool { return v.Role == User })
}

// narrowTurn leaves out what the user excluded of the running turn, a message with its whole tool group, and answers at
// its end: a model continues such a text instead of answering, if its server takes it at all. The current message
// stays: without it there is nothing to ask. A system message is sent with the system prompt.
func (s *selection) narrowTurn() {
	list, current, atEnd := s.turn.candidates, s.current(), true
	excluded := s.flagged(s.turn, Exclude)
	for i := len(list) - 1; i >= 0; i-- {
		v := list[i]
		e := &s.turn.entries[v.From]
		switch {
		case excluded[v.From] && i != current:
			if !v.StandIn {
				e.Disposition, e.Cause.Code = Excluded, cause.Excluded
			}
		case atEnd && v.Role == Assistant:
			e.drop(cause.Trailing)
		default:
			atEnd = atEnd && v.Role == System
			continue
		}
		list = slices.Delete(list, i, i+1)
	}
	s.turn.candidates = list
	for i := range list {
		s.turnSent = append(s.turnSent, list[i].whole())
	}
}

// countFixed counts what is sent however little of the history fits: the system prompt, the tools and the running turn.
// It also sets what a marker costs.
func (s *selection) countFixed() {
	c, text := s.c, s.marker(max(1, len(s.candidates)))
	s.gap = max(c.remembered(text+joint), c.remembered(joint+text))
	s.fixed = frameRequest + s.o.Tools + c.remembered(s.o.System)
	if s.o.System != "" {
		s.fixed += frameMessage
	}
	for i := range s.turn.candidates {
		v := &s.turn.candidates[i]
		s.fixed += v.tokens + frameMessage + s.bridge(v)
		if v.Role == System {
			s.fixed += frameJoint
		}
		if i == 0 && v.Role != User {
			s.fixed += c.remembered(startText) + frameMessage
		}
	}
}

// takeSystem takes the system messages of the history, which are sent in any case behind the system prompt.
func (s *selection) takeSystem() {
	for i := range s.candidates {
		if v := &s.candidates[i]; v.Role == System && s.chosen[i].cause == cause.None {
			s.chosen[i].body, s.chosen[i].cause = whole, cause.System
			s.fixed += v.tokens + frameMessage + frameJoint
		}
	}
}

// fitResults cuts the results of the running turn to the room that is free beside all else that must be sent. They come
// before the history: each is whole where all of them fit. Else the small ones are, and the others share the room.
func (s *selection) fitResults() {
	over := s.need() - s.budget.counted
	if over <= 0 {
		return
	}
	var results, tokens []int
	room := -over
	for i := range s.turn.candidates {
		if v := &s.turn.candidates[i]; v.kind() == Tool {
			results, tokens = append(results, i), append(tokens, v.tokens)
			room += v.tokens
		}
	}
	for k, share := range shareOut(tokens, room) {
		if tokens[k] <= share {
			continue
		}
		f := s.headAndTail(&s.turn.candidates[results[k]], share)
		f.cause.Code = cause.TurnLimit
		s.turnFirst = s.cutTurn(results[k], f) || s.turnFirst
	}
}

// cutTurn sends less of a candidate of the running turn, where that costs less.
func (s *selection) cutTurn(i int, f rendering) bool {
	saved := s.turnSent[i].tokens - f.tokens
	if saved <= 0 {
		return false
	}
	s.turnSent[i] = f
	s.fixed -= saved
	return true
}

// shareOut divides room, in tokens, among texts: a small one gets what it needs, and the large ones get equal shares of
// the rest.
func shareOut(tokens []int, room int) []int {
	order := make([]int, len(tokens))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return tokens[x] - tokens[y] })
	shares := make([]int, len(tokens))
	for k, x := range order {
		shares[x] = min(tokens[x], max(0, room)/(len(order)-k))
		room -= shares[x]
	}
	return shares
}

// cutCurrent cuts the current message to what is left beside everything else that must be sent, where the user chose
// that. It keeps the longest beginning that fits.
func (s *selection) cutCurrent() {
	over, i := s.need()-s.budget.counted, s.current()
	if !s.o.CutCurrent || over <= 0 || i < 0 {
		return
	}
	v := &s.turn.candidates[i]
	at := func(keep int) rendering { return s.prefixCut(v, "", keep, s.o.Policy.UserSuffix) }
	if keep := sort.Search(v.chars, func(n int) bool { return at(n+1).tokens > v.tokens-over }); keep > 0 {
		f := at(keep)
		f.cause.Code = cause.CutByUser
		s.cutTurn(i, f)
	}
}
