// Package record keeps what was decided for each request of a conversation, and reads it again: which message was
// sent, cut or left out, what the request cost, whether its bytes can be proven, and what all of that tells about the
// next request. It plans no request of its own, sends none and draws nothing.
package record

import (
	"context"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
)

// Records are the records of one conversation's requests.
type Records struct {
	Store   *store.Store
	Session string // the conversation's id, "" where it is not stored yet
	Turns   int    // that the conversation has

	// Branch reads the messages up to one, from the first on. Their counts are those of Tokenizer, 0 where they were
	// counted by another.
	Branch func(ctx context.Context, leaf int64) (branch.Branch, error)

	MinCompared int                  // tokens; a server's count of a smaller request says too little
	Count       history.TokenCounter // counts tokens
	Tokenizer   string               // what Count is called
}

// Add records a request that is about to be sent: its signed record, its plan, and of an answer's request what it
// begins with as the one before it.
func (r Records) Add(ctx context.Context, q store.Request, p history.Plan, prefix ReusablePrefix) (store.Request, error) {
	q.Session, q.Tokenizer, q.Rules, q.Estimate = r.Session, r.Tokenizer, p.Rules, p.Sum.Total
	q.Plan = &p
	q.Prompt, q.Cached, q.Answer, q.Reasoning = -1, -1, -1, -1
	if prefix.Known {
		q.Reusable, q.ReusableAge = p.Sum.Tokens(prefix.Tokens), max(0, q.Created.Sub(prefix.Sent))
	}
	return r.Store.AddRequest(ctx, q)
}

// Recorded is what is kept of a past request.
type RecordedRequest struct {
	Request  store.Request // the record
	Nth, Of  int           // it is the turn's Nth request of Of, from 1
	Verdicts history.Plan  // its sum, entries and added texts, as they were decided then
}

// NoRequestError says that the session has no such request.
type NoRequestError struct {
	Turn, Nth int
	Of        int // the turn's requests
	Turns     int // the session's turns
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

// Find finds the record of the nth request of a turn; nth counts from 1, and 0 is the last one that asked for an
// answer. A turn has several requests where tools ran, where it was asked again, and where winnow asked for a summary
// or a title. Where there is no such request the error is a *NoRequestError.
func (r Records) Find(ctx context.Context, turn, nth int) (RecordedRequest, error) {
	return r.find(ctx, turn, nth, func(i int, q store.Request) bool {
		return i == nth || nth == 0 && q.Purpose == store.ForAnswer
	})
}

// find finds the newest of a turn's requests that is the wanted one, by its number and its record.
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

// WasCut says that the user chose to cut a message when it was last sent in its turn.
func (r Records) WasCutByUser(ctx context.Context, message int64) (bool, error) {
	list, err := r.Store.Requests(ctx, r.Session, store.RequestFilter{User: message, Newest: 1})
	if err != nil || len(list) == 0 {
		return false, err
	}
	d, err := ParseRequestInputs(list[0])
	return d.CutCurrent, err
}
