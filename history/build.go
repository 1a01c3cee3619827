package history

import (
	"slices"
	"sort"

	"winnow/history/cause"
	"winnow/history/message"
)

// Build plans one request from the messages before the running turn. If the parts that must be sent do not fit, it
// returns the plan together with an *OverBudgetError. With RecoverStrict, a damaged history returns the plan together
// with a *DamagedError.
func Build(past []Message, o Options) (Plan, error) { return NewConversation(past, o.Count).Build(o) }

// Build plans one request, like the function Build.
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

// plan runs the pipeline once.
func (c *Conversation) plan(o Options) (Plan, error) {
	s := c.selectFor(o)
	p := s.plan()
	if !s.over {
		return p, nil
	}
	// The check uses the highest possible cost of the request. The sum has to show that number too.
	p.Sum.Frame += s.need() - p.Sum.Total
	p.Sum.Total = s.need()
	return p, s.overBudget(p)
}

// fallback plans a request that is certain to be valid. It first sends past tool calls as text; if that is not enough,
// it sends only the system prompt and the user's message.
func (c *Conversation) fallback(o Options) (Plan, error) {
	o.Policy.ToolHistory = ToolsText
	if plan, err := c.plan(o); sendable(plan, o) {
		return plan, err
	}
	o.Scope = &Scope{For: cause.Invalid}
	o.Turn = slices.DeleteFunc(slices.Clone(o.Turn), func(m Message) bool { return m.Role != User })
	return c.plan(o)
}

// sendable reports whether the strictest server would accept the plan. A preview without a current message is checked
// as if one followed.
func sendable(p Plan, o Options) bool {
	if len(o.Turn) > 0 {
		return validate(p.Messages, o.Profile) == nil
	}
	next := []Message{{Role: User, Content: "?"}}
	if n := len(p.Messages); n > 0 && (p.Messages[n-1].Role == User || o.Profile.NoToolToUser) {
		next = nil
	}
	return validate(slices.Concat(p.Messages, next), o.Profile) == nil
}

// selectFor runs the pipeline up to the choice of what to send of each message.
func (c *Conversation) selectFor(o Options) *selection {
	s := c.newSelection(o)
	s.excludeFromTurn()
	s.countFixed()
	s.exclude()
	s.takeSystem()
	s.findSummary()
	s.findNewestTurn()
	s.findOpener()
	s.pin()
	s.capMessages()
	s.fitResults()
	s.cutCurrent()
	s.choose()
	return s
}

// newSelection prepares the history and the running turn for an endpoint, and computes the budget.
func (c *Conversation) newSelection(o Options) *selection {
	if message.IsBlank(o.System) {
		o.System = "" // Servers refuse an empty message.
	}
	o.System = message.ToValidUTF8(o.System)
	t := c.prepare(readingFor(o))
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

// current returns the index of the current user message among the candidates of the turn, or -1.
func (s *selection) current() int {
	return slices.IndexFunc(s.turn.candidates, func(v candidate) bool { return v.Role == User })
}

// excludeFromTurn removes from the running turn the messages that the user excluded, each with its whole tool group. It
// also removes assistant messages at the end: given one, a model continues its text instead of answering, or the server
// refuses it. The current message stays, because without it there is nothing to ask. System messages are sent with the
// system prompt.
func (s *selection) excludeFromTurn() {
	list, current, atEnd := s.turn.candidates, s.current(), true
	excluded := s.flagged(s.turn, Exclude)
	for i := len(list) - 1; i >= 0; i-- {
		v := list[i]
		e := &s.turn.entries[v.From]
		switch {
		case excluded[v.From] && i != current:
			if !v.Placeholder {
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

// countFixed counts the tokens of what is sent however little of the history fits: the system prompt, the tools and the
// running turn. It also sets the cost of a gap marker.
func (s *selection) countFixed() {
	c, text := s.c, s.marker(max(1, len(s.candidates)))
	s.gap = max(c.countCached(text+separator), c.countCached(separator+text))
	s.fixed = frameRequest + s.o.Tools + c.countCached(s.o.System)
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
			s.fixed += c.countCached(startText) + frameMessage
		}
	}
}

// takeSystem selects the system messages of the history. They are always sent, after the system prompt.
func (s *selection) takeSystem() {
	for i := range s.candidates {
		if v := &s.candidates[i]; v.Role == System && s.chosen[i].cause == cause.None {
			s.chosen[i].body, s.chosen[i].cause = whole, cause.System
			s.fixed += v.tokens + frameMessage + frameJoint
		}
	}
}

// fitResults cuts the tool results of the running turn to the tokens that are left by everything else that must be
// sent. The turn goes before the history. If not all results fit, the short ones stay whole and the long ones share
// what is left.
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

// cutTurn replaces candidate i of the running turn with a shorter rendering, and reports whether that saves tokens.
func (s *selection) cutTurn(i int, f rendering) bool {
	saved := s.turnSent[i].tokens - f.tokens
	if saved <= 0 {
		return false
	}
	s.turnSent[i] = f
	s.fixed -= saved
	return true
}

// shareOut divides room, in tokens, among texts of the given lengths: short texts get what they need, and long ones get
// equal shares of the rest.
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

// cutCurrent cuts the current message to the space left by everything else that must be sent, if the user chose that.
// It keeps the longest prefix that fits.
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
