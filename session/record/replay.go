package record

import (
	"context"
	"fmt"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// ReplayedRequest is a past request, rebuilt from its record and the stored messages.
type ReplayedRequest struct {
	RecordedRequest
	Messages branch.Branch // the messages that it was planned from, those of its turn last
	Plan     history.Plan  // made from the recorded options by the current rules
	Body     []byte        // the request body of Plan
	Proven   bool          // Body has the recorded hash, so it is what was sent, byte for byte
	Doubt    string        // a sentence that says why it is not proven, "" if it is
}

// Replay rebuilds the request that Find returns. It may be on another branch than the active one.
func (r Records) Replay(ctx context.Context, turn, nth int) (ReplayedRequest, error) {
	found, err := r.Find(ctx, turn, nth)
	if err != nil {
		return ReplayedRequest{}, err
	}
	return r.rebuild(ctx, found)
}

// ReplayByID rebuilds the request of a turn with a given id.
func (r Records) ReplayByID(ctx context.Context, turn int, request int64) (ReplayedRequest, error) {
	found, err := r.find(ctx, turn, 0, func(_ int, q store.Request) bool { return q.ID == request })
	if err != nil {
		return ReplayedRequest{}, err
	}
	return r.rebuild(ctx, found)
}

// rebuild rebuilds a recorded request.
func (r Records) rebuild(ctx context.Context, found RecordedRequest) (made ReplayedRequest, err error) {
	made.RecordedRequest = found
	d, err := ParseRequestInputs(found.Request)
	if err != nil {
		return made, err
	}
	if made.Messages, err = r.Branch(ctx, d.Leaf); err != nil {
		return made, err
	}
	before, there := made.Messages.Len(), true // the number of messages before the turn
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
	// A plan that no longer fits is shown all the same; its hash differs.
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
		made.Doubt = fmt.Sprintf("it was made by version %d of the rules; this winnow has version %d", q.Rules,
			history.RulesVersion)
	case unsent != nil:
		made.Doubt = "it would not be sent now: " + unsent.Error()
	case damaged:
		made.Doubt = "a stored message is damaged"
	case q.Tokenizer != r.Tokenizer:
		made.Doubt = fmt.Sprintf("its tokens were counted by %s; this winnow uses %s", q.Tokenizer,
			r.Tokenizer)
	default:
		made.Doubt = "its hash differs from the recorded one"
	}
	return made, nil
}

// fillSizes sets what verdicts leave out because the messages have it: the sizes of messages that were not sent, and by
// how much one did not fit.
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
