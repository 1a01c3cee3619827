package history

import (
	"slices"
	"sort"

	"winnow/history/cause"
	"winnow/history/message"
)

// Build decides one request from a history, the policy and the running turn. When what must be sent does not fit, the
// plan comes with a *OverBudgetError.
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
	// What is refused is the most that it may cost: the sum says the same.
	p.Sum.Frame += s.need() - p.Sum.Total
	p.Sum.Total = s.need()
	return p, s.overBudget(p)
}

// selectFor is the pipeline up to what is sent of every message.
func (c *Conversation) selectFor(o Options) *selection {
	s := newSelection(c.request(o))
	s.exclude()
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

// request is what is known of a request before anything of the history is chosen.
type request struct {
	c          *Conversation
	o          Options
	history    *thread
	candidates []candidate // of the history
	turn       *thread
	budget     budget
	limits     limits
	step       int // tokens of the largest block
	fixed      int // tokens of all that is sent whatever fits of the history
	gap        int // tokens of a marker at the most

	turnCuts map[int]rendering // what is cut of the running turn, by its candidate
}

// request reads the history for an endpoint, and measures the budget and what is sent in any case.
func (c *Conversation) request(o Options) *request {
	o.System = systemText(o.System)
	t := c.thread(readingFor(o))
	r := &request{
		c: c, o: o, history: t, candidates: t.candidates, turn: c.turnFor(o, t), turnCuts: map[int]rendering{},
		budget: measureBudget(o.Policy, o.Window, o.Limit, o.Ratio), limits: limitsOf(o.Policy),
	}
	r.step = r.budget.step(o.Policy)
	r.excludeTurn()
	r.dropTrailing()
	text := r.marker(max(1, len(r.candidates)))
	r.gap = max(c.remembered(text+joint), c.remembered(joint+text))
	r.fixed = frameRequest + o.Tools + c.remembered(o.System)
	if o.System != "" {
		r.fixed += frameMessage
	}
	for i := range r.turn.candidates {
		v := &r.turn.candidates[i]
		r.fixed += v.tokens + frameMessage + r.bridge(v)
		if v.Role == System {
			r.fixed += frameJoint
		}
		if i == 0 && v.Role != User {
			r.fixed += c.remembered(startText) + frameMessage
		}
	}
	return r
}

// systemText is a system prompt as it can be sent: text, and nothing at all where it is blank, because servers refuse a
// message that says nothing.
func systemText(system string) string {
	if message.IsBlank(system) {
		return ""
	}
	return message.Clean(system)
}

// excludeTurn leaves out what the user excluded of the running turn, a message with its whole tool group. The current
// message stays: without it there is nothing to ask.
func (r *request) excludeTurn() {
	groups := map[int]bool{}
	for _, v := range r.turn.candidates {
		if !v.StandIn && r.o.Flags[v.ID] == Exclude {
			groups[v.group] = true
		}
	}
	current := r.current()
	kept := r.turn.candidates[:0]
	for i, v := range r.turn.candidates {
		if groups[v.group] && i != current {
			if !v.StandIn {
				e := &r.turn.entries[v.From]
				e.Disposition, e.Cause.Code = Excluded, cause.Excluded
			}
			continue
		}
		kept = append(kept, v)
	}
	r.turn.candidates = kept
}

// current is the candidate of the current message in the turn, -1 for none.
func (r *request) current() int {
	return slices.IndexFunc(r.turn.candidates, func(v candidate) bool { return v.Role == User })
}

// dropTrailing leaves out answers at the end of the running turn: a model continues such a text instead of answering,
// if its server takes it at all. A system message is sent with the system prompt.
func (r *request) dropTrailing() {
	list := r.turn.candidates
	for i := len(list) - 1; i >= 0 && (list[i].Role == Assistant || list[i].Role == System); i-- {
		if list[i].Role == Assistant {
			r.turn.entries[list[i].From].drop(cause.Trailing)
			list = slices.Delete(list, i, i+1)
		}
	}
	r.turn.candidates = list
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
		v := &s.turn.candidates[results[k]]
		if v.tokens <= share {
			continue
		}
		f := s.headAndTail(v, share)
		if f.tokens >= v.tokens {
			continue // A cut that costs no less is no help.
		}
		f.cause = &Cause{Code: cause.TurnLimit}
		s.turnCuts[results[k]] = f
		s.fixed += f.tokens - v.tokens
	}
	s.turnFirst = len(s.turnCuts) > 0
}

// shareOut divides room between texts: the small ones get the tokens that they need, the large ones the same.
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
	at := func(keep int) rendering {
		return v.render(s.limits.prefixCut(v.Content, v.chars, keep, s.o.Policy.UserSuffix), s.c.count)
	}
	keep := sort.Search(v.chars, func(n int) bool { return at(n+1).tokens > v.tokens-over })
	if keep == 0 {
		return
	}
	f := at(keep)
	f.cause = &Cause{Code: cause.CutByUser}
	s.fixed += f.tokens - v.tokens
	s.turnCuts[i] = f
}

// turnRendering is what is sent of a candidate of the running turn.
func (r *request) turnRendering(i int) rendering {
	if f, cut := r.turnCuts[i]; cut {
		return f
	}
	return r.turn.candidates[i].whole()
}
