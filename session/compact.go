package session

import (
	"context"
	"errors"
	"fmt"

	"winnow/history"
	"winnow/session/store"
)

// ErrNothingOlder says that there is nothing to condense: a summary never stands for the newest exchange.
var ErrNothingOlder = errors.New("there is nothing to condense yet: the newest exchange stays as it is")

// Compact has the model condense all that was said before the newest exchange, and lets the summary
// stand in its place from the next request on, even where everything would fit. The messages stay as
// they are. Where the model fails nothing changes.
func (s *Session) Compact(ctx context.Context) <-chan Event {
	return s.start(ctx, func(ctx context.Context, t *turn) error {
		if err := t.askModel(ctx); err != nil {
			return err
		}
		o, list, err := t.older()
		if err != nil {
			return err
		}
		if err := t.keepSummary(ctx, o, list); err != nil {
			return fmt.Errorf("condense the older messages: %w", err)
		}
		if err := t.SetSummaryAlways(ctx, true); err != nil {
			return err
		}
		t.emit(Notice{"the older messages are condensed: a summary stands in their place; /compact off sends them again"})
		return nil
	})
}

// SetSummaryAlways lets the summary that a conversation has stand even where everything would fit, or
// only where it does not.
func (s *Session) SetSummaryAlways(ctx context.Context, always bool) error {
	return s.change(ctx, func(row *store.Session) error {
		var err error
		row.Overrides, err = withKey(row.Overrides, "summary_always", always)
		return err
	})
}

// older are the messages of the branch that a summary may stand for and none does, with the options of
// the next request.
func (t *turn) older() (history.Options, []history.Message, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.past = len(t.branch)
	if err := t.readTo(t.past); err != nil {
		return history.Options{}, nil, err
	}
	policy := t.policy
	policy.SummaryAlways = true // An earlier summary goes into the next.
	o := t.options(&t.target, policy, nil)
	list := t.reader.Older(o)
	if len(list) == 0 {
		return o, nil, ErrNothingOlder
	}
	return o, list, nil
}
