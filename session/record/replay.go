package record

import (
	"context"
	"fmt"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// Replayed is a past request, put together again from its record and the stored messages.
type ReplayedRequest struct {
	RecordedRequest
	Messages branch.Branch // that it was planned from, the turn's own messages at the end
	Plan     history.Plan  // as the record's options and today's rules make it
	Body     []byte        // the bytes that Plan gives
	Proven   bool          // Body is what was sent, byte for byte: it has the hash of the record
	Doubt    string        // a sentence that says why it is not proven, "" where it is
}

// Replay puts a request together again that Find finds. The branch that was active then need not be the active one
// now.
func (r Records) Replay(ctx context.Context, turn, nth int) (ReplayedRequest, error) {
	found, err := r.Find(ctx, turn, nth)
	if err != nil {
		return ReplayedRequest{}, err
	}
	return r.rebuild(ctx, found)
}

// ReplayOf is Replay for a request that is known by its id, as a Receipt's turn and a message's Request name it.
func (r Records) ReplayByID(ctx context.Context, turn int, request int64) (ReplayedRequest, error) {
	found, err := r.find(ctx, turn, 0, func(_ int, q store.Request) bool { return q.ID == request })
	if err != nil {
		return ReplayedRequest{}, err
	}
	return r.rebuild(ctx, found)
}

// rebuild puts a request together again.
func (r Records) rebuild(ctx context.Context, found RecordedRequest) (made ReplayedRequest, err error) {
	made.RecordedRequest = found
	d, err := ParseRequestInputs(found.Request)
	if err != nil {
		return made, err
	}
	if made.Messages, err = r.Branch(ctx, d.Leaf); err != nil {
		return made, err
	}
	before, there := made.Messages.Len(), true // the branch that far is what came before the turn
	if len(d.Turn) > 0 {
		before, there = made.Messages.Find(d.Turn[0])
	}
	if !there {
		return made, fmt.Errorf("rebuild request %d: message %d: %w", made.Request.ID, d.Turn[0], store.ErrNotFound)
	}
	c, o, damaged := history.NewConversation(nil, r.Count), d.Options, false
	if o.Count = r.Count; d.Asked != "" {
		o.Turn = []history.Message{OwnQuestion(d.Asked)}
	}
	err = made.Messages.Each(ctx, 0, made.Messages.Len(), func(i int, m store.Message) error {
		damaged = damaged || m.Damaged
		if i < before {
			c.Append(m.Message)
		} else {
			o.Turn = append(o.Turn, m.Message)
		}
		return nil
	})
	if err != nil {
		return made, err
	}
	// A plan that does not fit any more is shown as any other: the hash says that it is not the one.
	plan, unsent := c.Build(o)
	made.Plan = plan
	fillSizes(&made.Verdicts, plan)
	if made.Body, err = d.body(made.Request, plan); err != nil {
		return made, err
	}
	switch q := made.Request; {
	case unsent == nil && hash(made.Body) == q.BodyHash:
		made.Proven = true
	case q.Rules != history.RulesVersion:
		made.Doubt = fmt.Sprintf("it was made by version %d of the rules, and this winnow has version %d", q.Rules,
			history.RulesVersion)
	case unsent != nil:
		made.Doubt = "today it would not be sent: " + unsent.Error()
	case damaged:
		made.Doubt = "a stored message is damaged"
	case q.Tokenizer != r.Tokenizer:
		made.Doubt = fmt.Sprintf("its tokens were counted by %s, and this winnow counts by %s", q.Tokenizer,
			r.Tokenizer)
	default:
		made.Doubt = "its hash differs from the recorded one"
	}
	return made, nil
}

// measure gives the verdicts what the record leaves to the messages: the size of those that were not sent, and by how
// much one did not fit.
func fillSizes(v *history.Plan, rebuilt history.Plan) {
	of := make(map[int64]*history.Entry, len(rebuilt.Entries))
	for i := range rebuilt.Entries {
		of[rebuilt.Entries[i].ID] = &rebuilt.Entries[i]
	}
	for i := range v.Entries {
		e := &v.Entries[i]
		if now := of[e.ID]; now != nil && !e.Sent() {
			e.TokensBefore, e.CharsBefore = now.TokensBefore, now.CharsBefore
			if e.Cause.Code == now.Cause.Code {
				e.Cause = now.Cause
			}
		}
	}
}
