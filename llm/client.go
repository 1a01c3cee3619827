package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
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

// Dial opens a connection, as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// OverNetwork does HTTP without a limit on the whole answer, which may stream for an hour. It follows no
// redirect: a POST would become a GET, and the conversation or the key could go to a stranger. It uses
// the proxies that the environment names. If dial is given, it opens every connection: no proxy is
// used then, and an https address is not encrypted unless dial does that.
func OverNetwork(dial Dial) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	if dial != nil {
		transport.Proxy, transport.DialContext, transport.DialTLSContext = nil, dial, dial
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// NewClosedClient makes the client of an endpoint that cannot be asked: every request fails with the
// reason, and nothing leaves.
func NewClosedClient(name string, reason error) *Client {
	return NewClient(Endpoint{Name: name, BaseURL: "http://closed.invalid/v1", Tries: 1, Doer: closed{name, reason}})
}

// closed refuses every request.
type closed struct {
	name   string
	reason error
}

func (c closed) Do(*http.Request) (*http.Response, error) {
	return nil, &Error{Kind: Network, Endpoint: c.name, Message: c.reason.Error(), final: true}
}

const (
	defaultIdle = 90 * time.Second

	// The silence allowed before the first byte. A server of the user's own may have to load a model and
	// read a long prompt first.
	hostedBegin = 2 * time.Minute
	ownBegin    = 10 * time.Minute

	// overIdle is the silence allowed once an answer is whole, and within a refusal.
	overIdle = 5 * time.Second
)

// send does a request with what lets it in: the headers and the query of the endpoint, and its key. A key that is stored
// is fetched, unless the request has another. The answer's body is a *watchedBody.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	e, begin := c.endpoint, hostedBegin
	if e.Own() {
		begin = ownBegin
	}
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key.Reveal())
	}
	for name, value := range e.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "winnow")
	if query := e.base().RawQuery; query != "" {
		req.URL.RawQuery = query
	}
	header := req.Header
	if cmp.Or(header.Get("Authorization"), header.Get("X-Api-Key"), header.Get("X-Goog-Api-Key")) == "" {
		if err := c.addStored(req); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	body := &watchedBody{ctx: ctx, cancel: cancel, client: c, allowed: cmp.Or(e.Begin, begin)}
	timer := body.limit(body.allowed)
	resp, err := c.doer.Do(req.WithContext(ctx))
	timer.Stop()
	if err != nil {
		if ctx.Err() != nil {
			err = endOf(ctx)
		}
		cancel(nil)
		return nil, err
	}
	body.body, resp.Body = resp.Body, body
	// A reader that waits in Read is woken by closing what it waits for.
	body.unwatch = context.AfterFunc(ctx, func() { body.body.Close() })
	if resp.StatusCode == http.StatusUnauthorized && e.Stored != nil {
		e.Stored.Refused()
	}
	return resp, nil
}

// addStored adds the key that is fetched when a request needs it. From then on no answer may repeat it.
func (c *Client) addStored(req *http.Request) error {
	if c.endpoint.Stored == nil {
		return nil
	}
	key, err := c.endpoint.Stored.Get(req.Context())
	switch {
	case req.Context().Err() != nil:
		return req.Context().Err()
	case err != nil:
		e := c.lasting(Auth, "", err)
		e.say = "{who} was not asked, because its API key cannot be read"
		return e
	case key != "":
		req.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	c.redactor.Know(c.endpoint.Secrets()...)
	return nil
}

// watchedBody is the body of an answer. It ends with an *Error when it is silent for too long, and at once when the
// request's context ends, whoever does the HTTP. Any byte breaks the silence, those of comments too.
type watchedBody struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	unwatch func() bool
	body    io.ReadCloser
	client  *Client
	allowed time.Duration // the silence
	over    bool          // nothing is waited for but the end, or the usage

	waits func() bool // is called before anything is waited for; false ends the reading; nil has nothing to do
}

// limit ends the request after a silence.
func (b *watchedBody) limit(silence time.Duration) *time.Timer {
	return time.AfterFunc(silence, func() {
		e := b.client.lasting(TimedOut, "", nil)
		e.say = "{who} sent nothing for " + silence.String()
		b.cancel(e)
	})
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.waits != nil && !b.waits() {
		return 0, errNoMore
	}
	allowed := b.allowed
	if b.over {
		allowed = min(allowed, overIdle)
	}
	timer := b.limit(allowed)
	n, err := b.body.Read(p)
	timer.Stop()
	if n > 0 {
		b.allowed = cmp.Or(b.client.endpoint.Idle, defaultIdle)
	}
	if err != nil && b.ctx.Err() != nil {
		err = endOf(b.ctx) // Closing what is read looks like its end, or like anything else.
	}
	return n, err
}

// endOf is why a context ended: our own error for silence, else the caller's own reason.
func endOf(ctx context.Context) error {
	var silence *Error
	if errors.As(context.Cause(ctx), &silence) {
		return silence
	}
	return ctx.Err()
}

// Close ends the answer.
func (b *watchedBody) Close() error {
	b.unwatch()
	err := b.body.Close()
	b.cancel(nil)
	return err
}
