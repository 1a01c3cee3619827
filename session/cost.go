package session

import (
	"context"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/store"
)

// CostOf is what a recorded request cost.
func CostOf(r store.Request) pricing.Cost {
	return pricing.Cost{Amount: pricing.Money(r.Cost), From: pricing.CostFrom(r.CostFrom)}
}

// FindPrices asks the server what the model in use costs, where nothing said it yet. The list of models
// that is read for the window says it too, so there is often nothing to ask. It may wait for the network,
// so call it behind LoadRest. A server that cannot be asked leaves the price unknown.
func (s *Session) FindPrices(ctx context.Context) {
	s.mu.Lock()
	to := s.target
	s.mu.Unlock()
	s.deps.findPrices(ctx, to)
}

func (d Deps) findPrices(ctx context.Context, to target) {
	if err := to.client.FindPrices(ctx, to.model); err != nil {
		d.Log.Debug("ask for the prices", "model", to.model, "error", ErrorCode(err))
	}
}

// InputCost is what a plan's request would cost before a word of its answer, if the server had nothing of
// it in its cache. The trial names the model where it is another one. It is an estimate, unless the model
// is known to be free.
func (s *Session) InputCost(plan history.Plan, t Trial) pricing.Cost {
	s.mu.Lock()
	to, err := s.triedModel(t)
	s.mu.Unlock()
	if err != nil {
		return pricing.Cost{}
	}
	return to.client.Cost(to.model, pricing.NoUsage(), pricing.Usage{Prompt: plan.Sum.Tokens(plan.Sum.Total)})
}

// cost is what a request that is over cost. Where the server did not report its tokens, those that are
// known to have gone and come are counted. A request that brought nothing and of which the server says
// nothing has no cost: it was refused, or never arrived.
func (s *Session) cost(a asked) pricing.Cost {
	usage := a.reply.Usage
	if a.reply.Text == "" && a.saver == nil && (usage == pricing.Usage{} || usage == pricing.NoUsage()) {
		return pricing.Cost{}
	}
	came := s.count(a.reply.Text) + s.count(a.reply.Reasoning)
	for _, call := range a.reply.Calls {
		came += s.count(call.Name) + s.count(call.Arguments)
	}
	return a.client.Cost(a.record.Model, usage, pricing.Usage{Prompt: a.expected(), Answer: a.plan.Sum.Tokens(came)})
}

// Spent is what several requests cost together.
type Spent struct {
	Amount    pricing.Money
	Estimated bool // a part of it is an estimate
	Priced    int  // requests of which the cost is known
	Requests  int  // all of them
}

// Add puts another request's cost to the sum.
func (s *Spent) Add(c pricing.Cost) { s.add(1, c) }

func (s *Spent) add(requests int, c pricing.Cost) {
	s.Requests += requests
	if !c.Known() {
		return
	}
	s.Amount += c.Amount
	s.Priced += requests
	s.Estimated = s.Estimated || c.From == pricing.Estimated
}

// String writes the sum for people: "$1.20", "~$1.20" where a part of it is an estimate and "–" where no
// cost is known.
func (s Spent) String() string {
	switch {
	case s.Priced == 0:
		return "–"
	case s.Estimated:
		return "~" + s.Amount.String()
	}
	return s.Amount.String()
}

// SpentIn is what the requests of a stored session cost, on every branch, those for titles and summaries
// included.
func SpentIn(ctx context.Context, s *store.Store, session string) (Spent, error) {
	sums, err := s.Spending(ctx, session)
	if err != nil {
		return Spent{}, err
	}
	var all Spent
	for _, sum := range sums {
		all.add(sum.Requests, pricing.Cost{Amount: pricing.Money(sum.Cost), From: pricing.CostFrom(sum.From)})
	}
	return all, nil
}
