package history

import (
	"winnow/history/cause"
	"winnow/history/message"
	"winnow/history/relevance"
)

// Build decides one request from a history, the policy and the running turn. When what must be sent
// does not fit, the plan comes with a *OverBudgetError.
func Build(past []Message, o Options) (Plan, error) { return Read(past, o.Count).Build(o) }

// Build is the same for a history that is already read. Builds wait for one another: they share the
// shortened texts and their counts. A source that fails leaves no plan.
func (c *Conversation) Build(o Options) (Plan, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	plan, err := c.sendable(o)
	if c.failed != nil {
		return Plan{}, c.failed
	}
	plan.groups = c.grouped()
	return plan, err
}

// sendable is a plan that a strict server takes.
func (c *Conversation) sendable(o Options) (Plan, error) {
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
	b, err := c.chosen(o)
	p := b.render()
	if err != nil {
		// What is refused is the most that it may cost: the sum says the same.
		p.Sum.Frame += b.need() - p.Sum.Total
		p.Sum.Total = b.need()
	}
	return p, err
}

// chosen is the pipeline up to what is sent of every message.
func (c *Conversation) chosen(o Options) (*chooser, error) {
	b := c.begin(o)
	b.exclude()
	b.findSummary()
	b.findOpenerAndNewest()
	b.pin()
	b.cap()
	b.cutCurrent()
	return b, b.choose()
}

// chooser decides what a request holds of each candidate. What it chose, a renderer writes as messages and verdicts.
type chooser struct {
	c          *Conversation
	t          *thread
	candidates []candidate // of t
	turn       *thread
	o          Options
	budget     budget
	step       int // tokens of a block
	limits     limits
	renderings map[int]*rendering // shortened texts already made, by candidate

	opener    unit // the opening of the conversation, where the strategy keeps it
	asked     unit // the question of a newest turn that is too long to stand at the end as one
	last      unit // the newest turn, or the end of it
	lastWhole int  // tokens up to which it stays whole

	fixed        int // tokens of all that is sent whatever fits of the history
	gap          int // tokens of one marker
	cost         cost
	bodyDetail   []detail     // of each candidate in its place
	recallDetail []detail     // of each candidate in the block of recalled texts
	cause        []cause.Code // of each candidate, as far as it is known while choosing
	ranking      relevance.Ranking
	labels       *labels
	days         map[int64]int // how many recalled texts are of a day

	cut      map[int]rendering // long results of the running turn at their limit, and the current message where the user cut it
	byUser   int               // the current message among the candidates of the turn where the user cut it, -1 for none
	turnRest int               // what they cost whole beyond that

	taken      [][]change // what each increment raised, in order
	stopped    increment  // what did not fit
	stop       Cause      // and why
	summary    *Summary   // may stand in the request, nil for none
	covered    []bool     // the candidates that it stands for
	summarized bool       // it does stand there
}

// begin makes the history one for the endpoint, and measures the budget and what is sent in any case.
func (c *Conversation) begin(o Options) *chooser {
	c.changes = c.changes[:0]
	o = o.narrowed()
	c.address(carriage{to: o.To, keys: !o.Profile.NoReplay, echo: o.Profile.EchoReasoning, merges: o.Profile.MergeSameRole})
	c.remedy(o.remedies())
	o.System = systemText(o.System)
	t := c.forEndpoint(o)
	b := &chooser{
		byUser: -1,
		c:      c, t: t, candidates: t.candidates, o: o, budget: measureBudget(o.Policy, o.Window, o.Limit, o.Ratio),
		limits: limitsOf(o.Policy), renderings: t.renderingsFor(o.Policy),
		days: map[int64]int{}, bodyDetail: make([]detail, len(t.candidates)), recallDetail: make([]detail, len(t.candidates)), cause: make([]cause.Code, len(t.candidates)),
	}
	b.labels, b.step = t.labelsFor(), b.budget.step(o.Policy)
	if b.turn = c.readTurn(o.Turn, o.Profile.ToolsAsText); o.Profile.NoImages {
		b.turn = c.withoutImages(b.turn, nil)
	}
	if b.neighbour(-1, 1) >= 0 {
		b.cost.gaps = 1
	}
	b.gap = b.markerCost()
	b.fixed = frameRequest + o.Tools + c.remembered(o.System)
	if o.System != "" {
		b.fixed += frameMessage
	}
	b.excludeTurn()
	b.dropTrailing()
	b.shortenTurn()
	for i, v := range b.turn.candidates {
		b.fixed += v.tokens + frameMessage + b.bridge(&v)
		if v.role() == System {
			b.fixed += frameJoint
		}
		if i == 0 && v.role() != User {
			b.fixed += c.remembered(startText) + frameMessage
		}
	}
	for i := range b.candidates {
		if v := &b.candidates[i]; v.role() == System {
			b.bodyDetail[i], b.cause[i] = whole, cause.System
			b.fixed += v.tokens + frameMessage + frameJoint
		}
	}
	return b
}

// systemText is a system prompt as it can be sent: text, and nothing at all where it is blank, because
// servers refuse a message that says nothing.
func systemText(system string) string {
	if message.IsBlank(system) {
		return ""
	}
	return message.Clean(system)
}
