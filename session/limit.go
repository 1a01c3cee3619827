package session

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// OverLimit wants the user's word before a request is sent that would exceed a limit. The turn waits until
// Answer was called once.
type OverLimit struct {
	Over   limits.Over
	For    store.Purpose // what the request is for
	Answer func(limits.Answer)
}

func (OverLimit) event() {}

// LimitError ends a turn, or a request for a summary or a title, because it would exceed a limit and the user
// did not allow it. The request was not sent.
type LimitError struct{ Over limits.Over }

func (e *LimitError) Error() string {
	return "the request was not sent: " + e.Over.Clause() + " (" + strings.Join(e.Over.Keys(), ", ") +
		" under [limits])"
}

// spending is what the limits of a session are compared with.
type spending struct {
	// Held from a read to the note of what was read, so that no older read is noted after a newer one.
	reading sync.Mutex

	mu        sync.Mutex
	limits    limits.Limits   // as configured, or raised for the session
	spent     limits.Spent    // when it was read last
	session   record.Spent    // the session's costs, read with it
	unchecked map[string]bool // models of which was said that their price is not known
}

// ReadSpent reads what the session and the day have spent, for Spent and for the limits of a preview. It is
// worth calling again after a request.
func (s *Session) ReadSpent(ctx context.Context) error {
	s.spending.reading.Lock()
	defer s.spending.reading.Unlock()
	s.spending.mu.Lock()
	l := s.spending.limits
	s.spending.mu.Unlock()
	spent, err := s.spentSoFar(ctx, l)
	if err != nil {
		return err
	}
	var sum record.Spent
	if id := s.Info().ID; id != "" {
		if sum, err = record.SpentIn(ctx, s.deps.Store, id); err != nil {
			return err
		}
	}
	s.spending.mu.Lock()
	defer s.spending.mu.Unlock()
	s.spending.spent, s.spending.session = spent, sum
	return nil
}

// Spent is what the session's requests cost, on every branch, as ReadSpent read it last.
func (s *Session) Spent() record.Spent {
	s.spending.mu.Lock()
	defer s.spending.mu.Unlock()
	return s.spending.session
}

// noteSpent reads what the limits need to know, and keeps it for previews.
func (s *Session) noteSpent(ctx context.Context, l limits.Limits) (limits.Spent, error) {
	s.spending.reading.Lock()
	defer s.spending.reading.Unlock()
	spent, err := s.spentSoFar(ctx, l)
	if err != nil {
		return spent, err
	}
	s.spending.mu.Lock()
	defer s.spending.mu.Unlock()
	s.spending.spent = spent
	return spent, nil
}

// spentSoFar reads what the limits need to know.
func (s *Session) spentSoFar(ctx context.Context, l limits.Limits) (spent limits.Spent, err error) {
	if id := s.Info().ID; id != "" && l.Session != (limits.Amount{}) {
		sum, err := record.SpentIn(ctx, s.deps.Store, id)
		if err != nil {
			return spent, err
		}
		spent.Session.Cost = sum.Amount
		if l.Session.Tokens > 0 {
			if spent.Session.Tokens, err = s.deps.Store.SessionTokens(ctx, id); err != nil {
				return spent, err
			}
		}
	}
	if l.Day != (limits.Amount{}) {
		if spent.Day, err = s.spentSince(ctx, record.DayOf(s.deps.Now())); err != nil {
			return spent, err
		}
	}
	if l.Month != (limits.Amount{}) {
		spent.Month, err = s.spentSince(ctx, record.MonthOf(s.deps.Now()))
	}
	return spent, err
}

// spentSince is what all sessions used from a time on.
func (s *Session) spentSince(ctx context.Context, from time.Time) (limits.Amount, error) {
	var sum limits.Amount
	for _, st := range s.histories() {
		rows, err := st.Usage(ctx, []store.Period{{From: from, To: from.AddDate(1, 0, 0)}}, false)
		if err != nil {
			return sum, err
		}
		for _, row := range rows {
			sum.Tokens += row.Prompt + row.Answer
			sum.Cost += pricing.Money(row.Cost)
		}
	}
	return sum, nil
}

// estimateOf is what a request is expected to take, if the server has nothing of it in its cache and the answer
// takes all the room that is left for it.
func estimateOf(to *target.Model, maxTokens int, sum history.Sum) limits.Estimate {
	in, out := sum.Tokens(sum.Total), sum.Reserve
	if maxTokens > 0 {
		out = maxTokens
	}
	return limits.Estimate{
		Tokens: in + out,
		Cost:   to.Client.Cost(to.Name, pricing.NoUsage(), pricing.Usage{Prompt: in, Answer: out}),
	}
}

// limitAsker asks the user about a request that would exceed a limit.
type limitAsker func(context.Context, limits.Over) (limits.Answer, error)

// allow returns a *LimitError where a request would exceed a limit and the user, who is asked, does not want it
// sent. Without ask nobody is asked.
func (s *Session) allow(ctx context.Context, e limits.Estimate, ask limitAsker) error {
	s.spending.mu.Lock()
	l := s.spending.limits
	s.spending.mu.Unlock()
	if !l.Any() {
		return nil
	}
	spent, err := s.noteSpent(ctx, l)
	if err != nil {
		return fmt.Errorf("compare the request with [limits]: %w", err)
	}
	over := l.Check(spent, e)
	if !over.Any() {
		return nil
	}
	answer := limits.No
	if ask != nil {
		if answer, err = ask(ctx, over); err != nil {
			return err
		}
	}
	switch answer {
	case limits.Once:
		return nil
	case limits.Raise:
		s.spending.mu.Lock()
		s.spending.limits = s.spending.limits.Raised(over)
		s.spending.mu.Unlock()
		return nil
	}
	return &LimitError{over}
}

// uncheckable says that the limits on money cannot be compared with a model's requests, once for each model.
func (s *Session) uncheckable(model string, e limits.Estimate) bool {
	p := &s.spending
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.limits.AskUnknown || !p.limits.Unchecked(e) || p.unchecked[model] {
		return false
	}
	if p.unchecked == nil {
		p.unchecked = map[string]bool{}
	}
	p.unchecked[model] = true
	return true
}

// approvedSlack is by how much a request may turn out larger than the one that was allowed: it is planned before
// the message is stored, and again when all its tokens are counted.
const approvedSlack = 1.1

// wasApproved says that a request is one that the user allowed, or a smaller one in its place.
func (t *turn) wasApproved(purpose store.Purpose, e limits.Estimate) bool {
	a, ok := t.approved[purpose]
	return ok && float64(e.Tokens) <= approvedSlack*float64(a.Tokens) &&
		float64(e.Cost.Amount) <= approvedSlack*float64(a.Cost.Amount)
}

// askLimit asks about a request of the turn. What was allowed once holds for all attempts of one round.
func (t *turn) askLimit(purpose store.Purpose) limitAsker {
	return func(ctx context.Context, over limits.Over) (limits.Answer, error) {
		if t.wasApproved(purpose, over.Estimate) {
			return limits.Once, nil
		}
		answers := make(chan limits.Answer, 1)
		var once sync.Once
		t.emit(OverLimit{Over: over, For: purpose, Answer: func(a limits.Answer) { once.Do(func() { answers <- a }) }})
		select {
		case a := <-answers:
			if a == limits.Once {
				t.approved[purpose] = over.Estimate
			}
			return a, nil
		case <-ctx.Done():
			return limits.No, ctx.Err()
		}
	}
}

// noteUncheckable says once for each model that the limits on money do not cover it.
func (t *turn) noteUncheckable(a asked) {
	if t.uncheckable(a.to.Ref(), estimateOf(a.to, a.request.MaxTokens, a.plan.Sum)) {
		t.emit(Notice{"the limits on costs cannot be checked for " + a.to.Ref() + ": its price is not known"})
	}
}

// countSpent reads what was spent, after a request.
func (s *Session) countSpent(ctx context.Context) {
	read, cancel := detached(ctx)
	defer cancel()
	if err := s.ReadSpent(read); err != nil {
		s.log().Warn("sum up the costs", "error", ErrorCode(err))
	}
}

// affords asks about the request of a message that is not stored yet, where it would exceed a limit: where it
// is not sent, nothing is stored. A price that is not known yet is asked for then. instead is the message that
// it takes the place of, 0 for none.
func (t *turn) affords(ctx context.Context, m store.Message, instead int64) error {
	t.spending.mu.Lock()
	l := t.spending.limits
	t.spending.mu.Unlock()
	if !l.Any() {
		return nil
	}
	if l.OnCost() && !t.Model().Client.Prices(t.Model().Name).Known() {
		if err := t.askModel(ctx); err != nil {
			return err
		}
	}
	plan, err := t.planUnsaved(m, instead)
	if err != nil {
		return nil // The plan of the turn finds out.
	}
	to := t.Model()
	return t.allow(ctx, estimateOf(to, to.Request(plan).MaxTokens, plan.Sum), t.askLimit(store.ForAnswer))
}

// Over says which limits the request of a preview would exceed, by what ReadSpent read last.
func (w Tried) Over(plan history.Plan) limits.Over {
	if w.err != nil {
		return limits.Over{}
	}
	p := &w.s.spending
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.limits.Any() {
		return limits.Over{}
	}
	return p.limits.Check(p.spent, estimateOf(w.to, w.to.Request(plan).MaxTokens, plan.Sum))
}

// Sum is the tokens and the costs of some requests.
type Sum struct {
	Tokens int // of requests and answers, as the servers reported them
	record.Spent
}

// Sums are what the session used, and what all sessions used today and in this month, by the local calendar.
type Sums struct{ Session, Day, Month Sum }

// Sums sums up what was used.
func (s *Session) Sums(ctx context.Context) (sums Sums, err error) {
	if id := s.Info().ID; id != "" {
		if sums.Session.Spent, err = record.SpentIn(ctx, s.deps.Store, id); err != nil {
			return sums, err
		}
		if sums.Session.Tokens, err = s.deps.Store.SessionTokens(ctx, id); err != nil {
			return sums, err
		}
	}
	now := s.deps.Now()
	for _, st := range s.histories() {
		for _, of := range []struct {
			sum  *Sum
			from time.Time
		}{{&sums.Day, now}, {&sums.Month, record.MonthOf(now)}} {
			used, err := record.UsageOf(ctx, st, of.from, now, record.UsageBy{})
			if err != nil {
				return sums, err
			}
			of.sum.Tokens += used.Total.Prompt + used.Total.Answer
			of.sum.Spent = of.sum.Plus(used.Total.Spent)
		}
	}
	return sums, nil
}

// histories are those whose requests count for a day: the session's, and for a temporary conversation the one
// beside it.
func (s *Session) histories() []*store.Store {
	if s.deps.beside == nil {
		return []*store.Store{s.deps.Store}
	}
	return []*store.Store{s.deps.Store, s.deps.beside}
}
