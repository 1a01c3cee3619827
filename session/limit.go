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

// LimitError ends a turn, or a request for a summary or a title, because it would exceed a limit and the user
// did not allow it. The request was not sent.
type LimitError struct{ Over limits.Over }

func (e *LimitError) Error() string {
	return "the request was not sent: " + e.Over.Clause() + " (" + strings.Join(e.Over.Keys(), ", ") +
		" under [limits])"
}

// Sum is the tokens and the costs of some requests.
type Sum struct {
	Tokens int // of requests and answers, as the servers reported them
	record.Spent
}

func (s Sum) amount() limits.Amount { return limits.Amount{Tokens: s.Tokens, Cost: s.Amount} }

// Sums are what the session used, and what all sessions used today and in this month, by the local calendar.
type Sums struct{ Session, Day, Month Sum }

// spending is what the limits of a session are compared with.
type spending struct {
	reading sync.Mutex // held from a read to the note of what was read, so that no older one is noted last

	mu     sync.Mutex
	limits limits.Limits // as configured, or raised for the session
	sums   Sums          // when they were read last
}

// now is the limits and the sums as they were read last.
func (p *spending) now() (limits.Limits, Sums) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limits, p.sums
}

// Sums sums up what was used.
func (s *Session) Sums(ctx context.Context) (Sums, error) { return s.sums(ctx, true, true) }

// sums is Sums, where they are wanted with those of all sessions, which take longer to read.
func (s *Session) sums(ctx context.Context, day, month bool) (sums Sums, err error) {
	if id := s.Info().ID; id != "" {
		used, err := record.UsageIn(ctx, s.deps.Store, id)
		if err != nil {
			return sums, err
		}
		sums.Session.Spent, sums.Session.Tokens = used.Spent, used.Prompt+used.Answer
	}
	now := s.deps.Now()
	if day {
		sums.Day, err = s.usedSince(ctx, now)
	}
	if month && err == nil {
		sums.Month, err = s.usedSince(ctx, record.MonthOf(now))
	}
	return sums, err
}

// usedSince is what all sessions used from the day of a time on. The requests of a temporary conversation count beside
// those of the history.
func (s *Session) usedSince(ctx context.Context, from time.Time) (sum Sum, err error) {
	for _, st := range []*store.Store{s.deps.Store, s.deps.beside} {
		if st == nil {
			continue
		}
		used, err := record.UsageOf(ctx, st, from, s.deps.Now(), record.UsageBy{})
		if err != nil {
			return sum, err
		}
		sum.Tokens += used.Total.Prompt + used.Total.Answer
		sum.Spent = sum.Plus(used.Total.Spent)
	}
	return sum, nil
}

// ReadSpent reads what the session has spent, and the day and the month where they have limits, for Spent and for the
// limits of a preview. It is worth calling again after a request.
func (s *Session) ReadSpent(ctx context.Context) error {
	s.spending.reading.Lock()
	defer s.spending.reading.Unlock()
	l, _ := s.spending.now()
	none := limits.Amount{}
	sums, err := s.sums(ctx, l.Day != none, l.Month != none)
	if err != nil {
		return err
	}
	s.spending.mu.Lock()
	defer s.spending.mu.Unlock()
	s.spending.sums = sums
	return nil
}

// Spent is what the session's requests cost, on every branch, as ReadSpent read it last.
func (s *Session) Spent() record.Spent {
	_, sums := s.spending.now()
	return sums.Session.Spent
}

// countSpent reads what was spent, after a request.
func (s *Session) countSpent(ctx context.Context) {
	read, cancel := detached(ctx)
	defer cancel()
	if err := s.ReadSpent(read); err != nil {
		s.log().Warn("sum up the costs", "error", ErrorCode(err))
	}
}

// exceeded says which limits a request would exceed, by what was read last.
func (p *spending) exceeded(e limits.Estimate) limits.Over {
	l, sums := p.now()
	return l.Check(limits.Spent{
		Session: sums.Session.amount(), Day: sums.Day.amount(), Month: sums.Month.amount(),
	}, e)
}

// Over says which limits the request of a preview would exceed, by what ReadSpent read last.
func (w Tried) Over(plan history.Plan) limits.Over {
	return w.s.spending.exceeded(estimateOf(w.to, w.to.Request(plan).MaxTokens, plan.Sum))
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

// allow returns a *LimitError where a request would exceed a limit and the user does not want it sent. wasAsked says
// that the user allowed it: meanwhile anything may have changed. Without ask nobody is asked.
func (s *Session) allow(ctx context.Context, e limits.Estimate, ask limitAsker) (wasAsked bool, err error) {
	if l, _ := s.spending.now(); !l.Any() {
		return false, nil
	}
	if err := s.ReadSpent(ctx); err != nil {
		return false, fmt.Errorf("compare the request with [limits]: %w", err)
	}
	over := s.spending.exceeded(e)
	if !over.Any() {
		return false, nil
	}
	answer := limits.No
	if ask != nil {
		if answer, err = ask(ctx, over); err != nil {
			return false, err
		}
	}
	switch answer {
	case limits.Once:
		return true, nil
	case limits.Raise:
		s.spending.mu.Lock()
		s.spending.limits = s.spending.limits.Raised(over)
		s.spending.mu.Unlock()
		return true, nil
	}
	return false, &LimitError{over}
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

// askLimit asks about a request of the turn. What was allowed once holds for all attempts of one errand.
func (t *turn) askLimit(purpose store.Purpose) limitAsker {
	return func(ctx context.Context, over limits.Over) (limits.Answer, error) {
		answer, err := wait(ctx, func(answer func(limits.Answer)) {
			t.emit(OverLimit{Over: over, For: purpose, Answer: answer})
		})
		if err == nil && answer == limits.Once {
			t.approved[purpose] = over.Estimate
		}
		return answer, err
	}
}

// wait shows a question and waits for its first answer, or for the end of ctx.
func wait[A any](ctx context.Context, show func(answer func(A))) (answer A, err error) {
	answers := make(chan A, 1)
	show(func(a A) {
		select {
		case answers <- a:
		default:
		}
	})
	select {
	case answer = <-answers:
		return answer, nil
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}
