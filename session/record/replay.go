package record

import (
	"context"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// Replayed is a past request, put together again from its record and the stored messages.
type Replayed struct {
	Recorded
	Messages branch.Branch // that it was planned from, the turn's own messages at the end
	Plan     history.Plan  // as the record's options and today's rules make it
	Body     []byte        // the bytes that Plan gives
	Proven   bool          // Body is what was sent, byte for byte: it has the hash of the record
	Doubt    string        // a sentence that says why it is not proven, "" where it is
}

// Replay puts a request together again that Find finds. The branch that was active then need not
// be the active one now.
func (r Records) Replay(ctx context.Context, turn, nth int) (Replayed, error) {
	found, err := r.Find(ctx, turn, nth)
	if err != nil {
		return Replayed{}, err
	}
	return r.rebuild(ctx, found)
}

// ReplayOf is Replay for a request that is known by its id, as a Receipt's turn and a message's Request
// name it.
func (r Records) ReplayOf(ctx context.Context, turn int, request int64) (Replayed, error) {
	found, err := r.find(ctx, turn, func(list []store.Request) int {
		return 1 + slices.IndexFunc(list, func(q store.Request) bool { return q.ID == request })
	})
	if err != nil {
		return Replayed{}, err
	}
	return r.rebuild(ctx, found)
}

// rebuild puts a request together again.
func (r Records) rebuild(ctx context.Context, found Recorded) (Replayed, error) {
	made := Replayed{Recorded: found}
	d, err := ReadDecision(made.Request)
	if err != nil {
		return made, err
	}
	if made.Messages, err = r.Branch(ctx, d.Leaf); err != nil {
		return made, err
	}
	past, turn, err := d.split(ctx, made.Messages)
	if err != nil {
		return made, fmt.Errorf("rebuild request %d of turn %d: %w", made.Nth, made.Request.Turn, err)
	}
	// A plan that does not fit any more is shown as any other: the hash says that it is not the one.
	var unsent error
	if made.Plan, unsent, err = r.replan(ctx, past, d, d.options(branch.History(turn), r.Count)); err != nil {
		return made, err
	}
	measure(&made.Verdicts, made.Plan)
	if made.Body, err = d.body(made.Request, made.Plan); err != nil {
		return made, err
	}
	made.Proven = unsent == nil && hash(made.Body) == made.Request.BodyHash
	if !made.Proven {
		damaged, err := holdsDamage(ctx, made.Messages)
		if err != nil {
			return made, err
		}
		made.Doubt = r.doubt(made, damaged, unsent)
	}
	return made, nil
}

// replan makes a plan of the messages before a turn. unsent says why it would not be sent, err why there is none.
func (r Records) replan(
	ctx context.Context, past branch.Branch, d Decision, o history.Options,
) (plan history.Plan, unsent, err error) {
	c := history.Read(nil, r.Count)
	err = past.Pieces(ctx, 0, past.Len(), func(_ int, messages []store.Message) error {
		for _, m := range messages {
			c.Append(d.guessed(m.Message, r.Guess))
		}
		return nil
	})
	if err == nil {
		plan, unsent = c.Build(o)
	}
	return plan, unsent, err
}

// holdsDamage says that a message of a branch is damaged.
func holdsDamage(ctx context.Context, b branch.Branch) (damaged bool, err error) {
	err = b.Each(ctx, 0, b.Len(), func(_ int, m store.Message) error {
		damaged = damaged || m.Damaged
		return nil
	})
	return damaged, err
}

// measure gives the verdicts what the record leaves to the messages: the size of those that were not sent, and
// where the added texts are.
func measure(v *history.Plan, rebuilt history.Plan) {
	at := make(map[int64]int, len(rebuilt.Entries))
	for i := range rebuilt.Entries {
		at[rebuilt.Entries[i].ID] = i
	}
	for k := range v.Entries {
		e := &v.Entries[k]
		if e.Sent() {
			continue
		}
		e.TokensBefore, e.CharsBefore = 0, 0
		if i, known := at[e.ID]; known {
			e.TokensBefore, e.CharsBefore = rebuilt.Entries[i].TokensBefore, rebuilt.Entries[i].CharsBefore
		}
	}
	for i, a := range rebuilt.Added {
		if i < len(v.Added) && v.Added[i].Before == a.Before && v.Added[i].Text == a.Text {
			v.Added[i].From, v.Added[i].To = a.From, a.To
		}
	}
}

// doubt says why a rebuilt request is not the one that was sent, as far as that can be known.
func (r Records) doubt(made Replayed, damaged bool, unsent error) string {
	switch {
	case made.Request.Rules != history.Rules:
		return fmt.Sprintf("it was made by version %d of the rules, and this winnow has version %d",
			made.Request.Rules, history.Rules)
	case unsent != nil:
		return "today it would not be sent: " + unsent.Error()
	case damaged:
		return "a stored message is damaged"
	case made.Request.Tokenizer != r.Tokenizer:
		return fmt.Sprintf("its tokens were counted by %s, and this winnow counts by %s", made.Request.Tokenizer,
			r.Tokenizer)
	}
	return "its hash differs from the recorded one"
}
