package llm

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"winnow/llm/pricing"
	"winnow/llm/redact"
)

const (
	defaultTries = 3

	// waitMax is the longest wait between two tries. A server that asks for more gets no second
	// try: the user decides.
	waitMax = 60 * time.Second
)

// Client talks to one endpoint. It is safe for concurrent use.
type Client struct {
	endpoint Endpoint
	doer     Doer
	redactor *redact.Redactor // knows the secrets that an answer must not repeat

	mu     sync.Mutex
	facts  map[string]facts          // what is known of how its models are asked
	prices map[string]pricing.Prices // of the models that the server listed last, by plainModel; some are not known

	cachedMore bool // the last answer with cached tokens reported more of them than the prompt has
}

// NewClient makes the client of an endpoint. It does not connect.
func NewClient(e Endpoint) *Client {
	c := &Client{endpoint: e, doer: e.Doer, redactor: new(redact.Redactor), facts: map[string]facts{}}
	c.redactor.Know(e.Secrets()...)
	if c.doer == nil {
		c.doer = OverNetwork(nil)
	}
	return c
}

// Endpoint gives the endpoint that the client talks to.
func (c *Client) Endpoint() Endpoint { return c.endpoint }

// Stream asks the model and gives the answer as it arrives. It ends with Finished, or with an error, always an *Error,
// after what had arrived until then. A connection that breaks after the first token gives Finished with CutOff and
// then the error. When ctx ends, the error is of kind Stopped and wraps ctx.Err().
//
// A request that fails before its first token is tried again, with a Waiting event before each wait, if the failure may
// pass. A Waiting that is Changed says that the server refused a field of the request: from then on what is Known, and
// the bytes of Body, are different, or, if only a value was refused, the Request for which this goes on. If the server
// wants the history itself in another format, the error says Replan, and from then on Profile is different.
func (c *Client) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		t := &retries{client: c, request: r, pauses: backoff.NewExponentialBackOff()}
		t.pauses.Multiplier, t.pauses.MaxInterval = 2, waitMax/2
		for {
			began, err := c.attempt(ctx, t.request, yield)
			if err == nil || errors.Is(err, errNoMore) {
				return
			}
			e := c.asError(ctx, err, r.Model)
			if began || e.Kind == Stopped {
				yield(nil, e)
				return
			}
			w, again := t.next(e)
			if !again {
				yield(nil, e)
				return
			}
			if !yield(w, nil) {
				return
			}
			select {
			case <-time.After(w.After):
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				e := stopped(ctx)
				e.Unsent = true
				yield(nil, e)
				return
			}
		}
	}
}

// retries are the tries of one request so far.
type retries struct {
	client  *Client
	request Request // of the coming try
	failed  int     // how many tries failed that may pass
	adapted bool    // a value in the request was replaced
	pauses  *backoff.ExponentialBackOff
}

// next says how the coming try differs and when it is, after one that failed before its first token. It is false if
// there is none.
func (t *retries) next(e *Error) (w Waiting, again bool) {
	c, r := t.client, t.request
	limit := cmp.Or(c.endpoint.Tries, defaultTries)
	w = Waiting{Attempt: t.failed + 2, Of: max(t.failed+2, limit), Err: e, Changed: c.learnWire(e, r)}
	if w.Changed != "" {
		return w, true
	}
	if c.learnFormat(e, r) {
		e.Replan = true
		return w, false
	}
	w.Changed, w.Request = c.amend(e, r, t.adapted)
	if w.Request != nil {
		t.request, t.adapted = *w.Request, true
	}
	if w.Changed != "" {
		return w, true
	}
	e.Tools = e.toolCause(r)
	t.failed++
	if e.Kind == Refused && c.endpoint.loopback() {
		// Nothing listens on this machine: a server that is just starting gets one more chance.
		limit = min(limit, 2)
	}
	if t.failed >= limit || !e.Retryable() || e.Wait > waitMax || e.Tools == TheTools {
		return w, false
	}
	w.After = min(waitMax, max(e.Wait, t.pauses.NextBackOff()))
	return w, true
}

// asError makes an *Error of whatever ended an attempt.
func (c *Client) asError(ctx context.Context, err error, model string) *Error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	e := c.unreached(err, model)
	e.Model = cmp.Or(e.Model, model)
	return e
}
