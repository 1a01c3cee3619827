package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
	"winnow/llm/pricing"
	"winnow/session/limits"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/session/target"
)

// LimitError ends a turn, or a request for a summary or a title, because it would exceed a limit and the user
// did not allow it. The request was not sent.
type LimitError struct{ Over limits.Over }

func (e *LimitError) Error() string {
	return "the request was not sent: " + e.Over.Clause() + " (" + strings.Join(e.Over.Keys(), ", ") +
		" under [limits])"
}

// Sums are what the session used, and what all sessions used today and in this month, by the local calendar.
type Sums struct{ Session, Day, Month record.Usage }

// ReadSpent reads what was spent for State.Sums and for the limits of a preview. It is worth calling again after a
// request. The requests of a temporary conversation count beside those of the history.
func (s *Session) ReadSpent(ctx context.Context) error {
	s.sums.Lock()
	defer s.sums.Unlock()
	var sums Sums
	var err error
	if id := s.Info().ID; id != "" {
		sums.Session, err = record.UsageIn(ctx, s.deps.Store, id)
	}
	stores := slices.Compact([]*store.Store{s.deps.Store, s.deps.kept})
	now := s.deps.Now()
	day, errDay := record.UsageOf(ctx, now, now, record.UsageBy{}, stores...)
	month, errMonth := record.UsageOf(ctx, record.MonthOf(now), now, record.UsageBy{}, stores...)
	if err := cmp.Or(err, errDay, errMonth); err != nil {
		return err
	}
	sums.Day, sums.Month = day.Total, month.Total
	s.set(func(st *State) { st.Sums = sums })
	return nil
}

// exceeded says which limits a request would exceed, by what was read last.
func (st State) exceeded(e limits.Estimate) limits.Over {
	amount := func(u record.Usage) limits.Amount { return limits.Amount{Tokens: u.Prompt + u.Answer, Cost: u.Amount} }
	return st.limits.Check(limits.Spent{
		Session: amount(st.Sums.Session), Day: amount(st.Sums.Day), Month: amount(st.Sums.Month),
	}, e)
}

// Over says which limits the request of a preview would exceed, by what ReadSpent read last.
func (s *Session) Over(plan history.Plan) limits.Over {
	st := s.Now()
	return st.exceeded(estimateOf(st.Model, st.Model.Request(plan).MaxTokens, plan.Sum))
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

// approvedSlack is by how much a request may turn out larger than the one that was allowed: it is planned before
// the message is stored, and again behind that.
const approvedSlack = 1.1

// allow returns a *LimitError where a request would exceed a limit and the user does not want it sent. wasAsked says
// that the user allowed it: meanwhile anything may have changed. What was allowed once holds for all attempts of one
// errand. Nobody is asked about a title.
func (t *turn) allow(ctx context.Context, e limits.Estimate, purpose store.Purpose) (wasAsked bool, err error) {
	allowed, known := t.approved[purpose]
	if !t.Now().limits.Any() || known && float64(e.Tokens) <= approvedSlack*float64(allowed.Tokens) &&
		float64(e.Cost.Amount) <= approvedSlack*float64(allowed.Cost.Amount) {
		return false, nil
	}
	if err := t.ReadSpent(ctx); err != nil {
		return false, fmt.Errorf("compare the request with [limits]: %w", err)
	}
	over, answer := t.Now().exceeded(e), limits.No
	if !over.Any() {
		return false, nil
	}
	if purpose != store.PurposeTitle {
		answer, err = wait(ctx, func(answer func(limits.Answer)) {
			t.emit(OverLimit{Over: over, For: purpose, Answer: answer})
		})
	}
	switch {
	case err != nil:
		return false, err
	case answer == limits.Once:
		t.approved[purpose] = over.Estimate
	case answer == limits.Raise:
		t.set(func(st *State) { st.limits = st.limits.Raised(over) })
	default:
		return false, &LimitError{over}
	}
	return true, nil
}
