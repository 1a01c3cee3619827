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

// LimitError reports that a request was not sent, because it would exceed a limit and the user did not allow that.
type LimitError struct{ Over limits.OverLimit }

func (e *LimitError) Error() string {
	return "the request was not sent: " + e.Over.Clause() + " (" + strings.Join(e.Over.ConfigKeys(), ", ") +
		" under [limits])"
}

// Spending is the usage of the session, and of all sessions today and this month by the local calendar.
type Spending struct{ Session, Day, Month record.Usage }

// ReadSpending updates State.Spending, by which previews are checked against the limits. Call it after each request.
// The requests of a temporary conversation count in addition to those in the permanent store.
func (s *Session) ReadSpending(ctx context.Context) error {
	s.spendingMu.Lock()
	defer s.spendingMu.Unlock()
	var sums Spending
	var err error
	if id := s.Info().ID; id != "" {
		sums.Session, err = record.SessionUsage(ctx, s.deps.Store, id)
	}
	stores := slices.Compact([]*store.Store{s.deps.Store, s.deps.permanent})
	now := s.deps.Now()
	day, errDay := record.ReportUsage(ctx, now, now, record.UsageGroups{}, stores...)
	month, errMonth := record.ReportUsage(ctx, record.StartOfMonth(now), now, record.UsageGroups{}, stores...)
	if err := cmp.Or(err, errDay, errMonth); err != nil {
		return err
	}
	sums.Day, sums.Month = day.Total, month.Total
	s.set(func(st *State) { st.Spending = sums })
	return nil
}

// exceeded returns the limits that a request would exceed, by the last ReadSpending.
func (st State) exceeded(e limits.Estimate) limits.OverLimit {
	amount := func(u record.Usage) limits.Amount { return limits.Amount{Tokens: u.Prompt + u.Answer, Cost: u.Amount} }
	return st.limits.Check(limits.SpentBefore{
		Session: amount(st.Spending.Session), Day: amount(st.Spending.Day), Month: amount(st.Spending.Month),
	}, e)
}

// ExceededLimits returns the limits that the request of a plan would exceed, by the last ReadSpending.
func (s *Session) ExceededLimits(plan history.Plan) limits.OverLimit {
	st := s.State()
	return st.exceeded(estimateOf(st.Model, st.Model.Request(plan).MaxTokens, plan.Sum))
}

// estimateOf returns the most that a request can take: the server has nothing in its cache, and the answer takes all
// the space reserved for it.
func estimateOf(to *target.Model, maxTokens int, sum history.TokenSum) limits.Estimate {
	in, out := sum.Tokens(sum.Total), sum.Reserve
	if maxTokens > 0 {
		out = maxTokens
	}
	return limits.Estimate{
		Tokens: in + out,
		Cost:   to.Client.Cost(to.Name, pricing.NoUsage(), pricing.Usage{Prompt: in, Answer: out}),
	}
}

// approvedSlack is the factor by which a request may be larger than the one that the user allowed: it is planned before
// the message is stored, and again after that.
const approvedSlack = 1.1

// checkLimits returns a *LimitError if a request would exceed a limit and the user does not allow that. wasAsked
// reports that the user allowed it; meanwhile anything may have changed. An approval holds for all attempts of one
// task. Titles are refused without asking.
func (t *turn) checkLimits(ctx context.Context, e limits.Estimate, purpose store.Purpose) (wasAsked bool, err error) {
	allowed, known := t.approved[purpose]
	if !t.State().limits.IsSet() || known && float64(e.Tokens) <= approvedSlack*float64(allowed.Tokens) &&
		float64(e.Cost.Amount) <= approvedSlack*float64(allowed.Cost.Amount) {
		return false, nil
	}
	if err := t.ReadSpending(ctx); err != nil {
		return false, fmt.Errorf("compare the request with [limits]: %w", err)
	}
	over, answer := t.State().exceeded(e), limits.DoNotSend
	if !over.Any() {
		return false, nil
	}
	if purpose != store.PurposeTitle {
		answer, err = wait(ctx, func(answer func(limits.Answer)) {
			t.emit(LimitExceeded{Over: over, For: purpose, Answer: answer})
		})
	}
	switch {
	case err != nil:
		return false, err
	case answer == limits.SendOnce:
		t.approved[purpose] = over.Estimate
	case answer == limits.RaiseLimit:
		t.set(func(st *State) { st.limits = st.limits.Raised(over) })
	default:
		return false, &LimitError{over}
	}
	return true, nil
}
