// Package record stores what was decided for each request of a conversation, and reads it again: which messages were
// sent, cut or left out, what the request cost, whether its bytes can be proven, and what all of that means for the
// next request. It does not plan new requests, send any or draw anything.
package record

import (
	"context"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// Records are the records of the requests of one conversation.
type Records struct {
	Store   *store.Store
	Session string // the conversation's id, "" if it is not stored yet
	Turns   int    // number of turns in the conversation

	// Branch reads the branch that ends with the message leaf. Token counts of other tokenizers than Tokenizer are 0.
	Branch func(ctx context.Context, leaf int64) (branch.Branch, error)

	MinCompared int                  // tokens; the server's count of a smaller request is not compared with winnow's
	Count       history.TokenCounter // counts tokens
	Tokenizer   string               // the name of Count's tokenizer
}

// Add records a request that is about to be sent, with its plan. q must have been filled by RequestInputs.FillRecord.
// prefix is what the request shares with the one before it.
func (r Records) Add(ctx context.Context, q store.Request, p history.Plan, prefix CachedPrefix) (store.Request, error) {
	q.Session, q.Tokenizer, q.Rules, q.Estimate = r.Session, r.Tokenizer, p.Rules, p.Sum.Total
	q.Plan = &p
	q.Prompt, q.Cached, q.Answer, q.Reasoning = -1, -1, -1, -1
	if prefix.Known {
		q.Reusable, q.ReusableAge = p.Sum.Tokens(prefix.Tokens), max(0, q.Created.Sub(prefix.Sent))
	}
	return r.Store.AddRequest(ctx, q)
}

// RecordedRequest is a recorded request with its verdicts.
type RecordedRequest struct {
	Request  store.Request
	Nth, Of  int          // it is the Nth of the Of requests of its turn, from 1
	Verdicts history.Plan // the sum, entries and added texts as decided at the time
}

// NoRequestError reports that a session has no such request.
type NoRequestError struct {
	Turn, Nth int
	Of        int // number of requests of the turn
	Turns     int // number of turns of the session
}

func (e *NoRequestError) Error() string {
	switch {
	case e.Turn < 1 || e.Turn > e.Turns:
		return fmt.Sprintf("there is no turn %d; this session has %d", e.Turn, e.Turns)
	case e.Of == 0:
		return fmt.Sprintf("nothing was sent in turn %d of this session", e.Turn)
	}
	return fmt.Sprintf("turn %d has no request %d; it has %d", e.Turn, e.Nth, e.Of)
}

// Find finds the record of the nth request of a turn, from 1; nth 0 is the last one that asked for an answer. A turn
// has several requests if tools ran, if it was retried, or if a summary or a title was requested. If there is no such
// request, the error is a *NoRequestError.
func (r Records) Find(ctx context.Context, turn, nth int) (RecordedRequest, error) {
	return r.find(ctx, turn, nth, func(i int, q store.Request) bool {
		return i == nth || nth == 0 && q.Purpose == store.PurposeAnswer
	})
}

// find finds the newest request of a turn for which wanted returns true.
func (r Records) find(
	ctx context.Context, turn, nth int, wanted func(nth int, q store.Request) bool,
) (RecordedRequest, error) {
	missing := &NoRequestError{Turn: turn, Nth: nth, Turns: r.Turns}
	if r.Session == "" || turn < 1 {
		return RecordedRequest{}, missing
	}
	list, err := r.Store.Requests(ctx, r.Session, store.RequestFilter{Turn: turn})
	if err != nil {
		return RecordedRequest{}, err
	}
	for i, q := range slices.Backward(list) {
		if wanted(i+1, q) {
			verdicts, err := r.Store.Verdicts(ctx, q.ID)
			return RecordedRequest{q, i + 1, len(list), verdicts}, err
		}
	}
	missing.Of = len(list)
	return RecordedRequest{}, missing
}

// WasCutByUser reports whether the user chose to cut a message when it was last sent in its turn.
func (r Records) WasCutByUser(ctx context.Context, message int64) (bool, error) {
	list, err := r.Store.Requests(ctx, r.Session, store.RequestFilter{User: message, Newest: 1})
	if err != nil || len(list) == 0 {
		return false, err
	}
	d, err := ParseRequestInputs(list[0])
	return d.CutCurrent, err
}
