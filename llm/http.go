package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// Dial opens a connection, as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// OverNetwork does HTTP without a limit on the whole answer, which may stream for an hour. It follows no
// redirect: a POST would become a GET, and the conversation or the key could go to a stranger. It uses
// the proxies that the environment names. If dial is given, it opens every connection: no proxy is
// used then, and an https address is not encrypted unless dial does that.
func OverNetwork(dial Dial) *http.Client {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         dialer.DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 15 * time.Second,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     90 * time.Second,
	}
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

// rest closes the connections that are kept open for the next request.
func (c *Client) rest() {
	if network, ok := c.doer.(*http.Client); ok {
		network.CloseIdleConnections()
	}
}

// authorize sets the headers and the query that let the request in.
func (c *Client) authorize(req *http.Request) {
	if c.endpoint.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.endpoint.Key.Reveal())
	}
	for name, value := range c.endpoint.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "winnow")
	if query := c.endpoint.query(); query != "" {
		req.URL.RawQuery = query
	}
}

// addStored adds the key that is fetched when a request needs it, unless the request has another.
func (c *Client) addStored(req *http.Request) error {
	for _, header := range []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key"} {
		if req.Header.Get(header) != "" {
			return nil
		}
	}
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
	c.redactor.Know(c.endpoint.Secrets()...) // From now on no answer may repeat it.
	return nil
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

// begin is the silence allowed before the first byte of an answer.
func (c *Client) begin() time.Duration {
	if c.endpoint.Own() {
		return cmp.Or(c.endpoint.Begin, ownBegin)
	}
	return cmp.Or(c.endpoint.Begin, hostedBegin)
}

// send does a request. Its answer's body is a *watchedBody.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if err := c.addStored(req); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	body := &watchedBody{ctx: ctx, cancel: cancel, client: c, allowed: c.begin()}
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
	if resp.StatusCode == http.StatusUnauthorized && c.endpoint.Stored != nil {
		c.endpoint.Stored.Refused()
	}
	return resp, nil
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
