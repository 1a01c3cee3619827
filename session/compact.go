package session

import (
	"context"
	"errors"
	"fmt"

	"winnow/history"
)

// ErrNothingOlder says that there is nothing to summarize: a summary never stands for the newest exchange.
var ErrNothingOlder = errors.New("there is nothing to summarise yet: the last exchange always stays as it is")

// Compact has the model summarize all that was said before the newest exchange, and lets the summary
// stand in its place from the next request on, even where everything would fit. The messages stay as
// they are. Where the model fails nothing changes.
func (s *Session) Compact(ctx context.Context) <-chan Event {
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		if err := t.askModel(ctx); err != nil {
			return err
		}
		work, err := t.older(ctx)
		if err != nil {
			return err
		}
		for first := true; len(work.list) > 0; first = false {
			err := t.summarize(ctx, &work)
			if errors.Is(err, errNoneFits) && !first {
				break // What is left is too long for any request.
			}
			if err != nil {
				return fmt.Errorf("summarise the older messages: %w", err)
			}
		}
		if !t.summaryPays(work.next) {
			return errors.New("the summary is no shorter than the messages it would stand for, so these are sent as before")
		}
		always := true
		if err := t.Apply(ctx, Trial{SummaryAlways: &always}); err != nil {
			return err
		}
		t.emit(Notice{"the summary is sent instead of the older messages from now on; /compact off sends the messages again"})
		return nil
	})
}

// summaryPays says that a request with these options and the summaries that there are now holds one.
func (t *turn) summaryPays(o history.Options) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.Summaries = t.summariesOn(t.summaries, t.past)
	plan, _ := t.build(t.past, o) // A request that is too large says all the same what it holds.
	return plan.Summarized()
}

// older is what a summary of the branch may stand for and none does, recorded with the newest turn.
func (t *turn) older(ctx context.Context) (summarizing, error) {
	s, err := t.readOlder()
	if err != nil {
		return s, err
	}
	s.turn, err = t.deps.Store.Turn(ctx, s.user)
	return s, err
}

func (t *turn) readOlder() (summarizing, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = len(t.branch)
	if err := t.readTo(t.past); err != nil {
		return summarizing{}, err
	}
	policy := t.policy
	policy.SummaryAlways = true // An earlier summary goes into the next.
	s := summarizing{next: t.options(t.model, policy, nil)}
	s.list, s.before = t.reader.Older(s.next)
	for _, m := range t.branch {
		if m.Role == history.User {
			s.user = m.ID
		}
	}
	if len(s.list) == 0 || s.user == 0 {
		return s, ErrNothingOlder
	}
	return s, nil
}
