package llm

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"winnow/llm/keys"
)

// authorize sets the headers and the query that let the request in.
func (c *Client) authorize(req *http.Request) {
	if c.endpoint.Key != "" {
		req.Header.Set("Authorization", bearer(c.endpoint.Key))
	}
	for name, value := range c.endpoint.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "winnow")
	if query := c.endpoint.query(); query != "" {
		req.URL.RawQuery = query
	}
}

// send does a request. Its answer's body ends with an *Error when it is silent for too long, and
// at once when the request's context ends, whoever does the HTTP.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	if err := c.addStored(req); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	timer := time.AfterFunc(c.begin(), func() { cancel(c.silent(c.begin())) })
	body := &watchedBody{ctx: ctx, cancel: cancel, client: c, allowed: c.begin()}
	resp, err := c.doer.Do(req.WithContext(ctx))
	timer.Stop()
	if err != nil {
		if ctx.Err() != nil {
			err = endOf(ctx)
		}
		cancel(nil)
		return nil, err
	}
	body.body = resp.Body
	// A reader that waits in Read is woken by closing what it waits for.
	body.unwatch = context.AfterFunc(ctx, func() { body.body.Close() })
	resp.Body = body
	if resp.StatusCode == http.StatusUnauthorized && c.endpoint.Stored != nil {
		c.endpoint.Stored.Refused()
	}
	return resp, nil
}

// bearer is a key as most servers take it.
func bearer(key keys.Secret) string { return "Bearer " + key.Reveal() }

// addStored adds the key that is fetched when a request needs it, where the request has no other.
func (c *Client) addStored(req *http.Request) error {
	for _, header := range []string{"Authorization", anthropicKey, geminiKey} {
		if req.Header.Get(header) != "" {
			return nil
		}
	}
	key, err := c.key(req.Context())
	if err == nil && key != "" {
		req.Header.Set("Authorization", bearer(key))
	}
	return err
}

// key is the endpoint's key, which is fetched where it is stored. From then on no answer may repeat it.
func (c *Client) key(ctx context.Context) (keys.Secret, error) {
	if c.endpoint.Key != "" || c.endpoint.Stored == nil {
		return c.endpoint.Key, nil
	}
	key, err := c.endpoint.Stored.Get(ctx)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		e := c.blank("")
		e.Kind, e.final, e.unread, e.Message, e.Err = Auth, true, true, err.Error(), err
		return "", e
	}
	c.redactor.Know(c.endpoint.Secrets()...)
	return key, nil
}

// silent is the error of a server that sent nothing for so long.
func (c *Client) silent(d time.Duration) *Error {
	e := c.blank("")
	e.Kind, e.Silence, e.final = TimedOut, d, true
	return e
}

// watchedBody ends with an *Error when the server is silent for too long. Any byte breaks the silence, those of
// comments too.
type watchedBody struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	unwatch func() bool
	body    io.ReadCloser
	client  *Client
	allowed time.Duration
	over    bool // the answer is whole: what may still come is its usage

	waits func() bool // is called before anything is waited for; false ends the reading; nil has nothing to do
}

// overIdle is the silence allowed once an answer is whole.
const overIdle = 5 * time.Second

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.waits != nil && !b.waits() {
		return 0, errNoMore
	}
	allowed := b.allowed
	if b.over {
		allowed = min(allowed, overIdle)
	}
	timer := time.AfterFunc(allowed, func() { b.cancel(b.client.silent(allowed)) })
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

const (
	drainTime = 100 * time.Millisecond
	drainMax  = 64 << 10
)

// Close ends the answer. What follows an answer that is whole, most often only the end of the body, is read for a
// moment: a connection is used again only where its answer was read to the end.
func (b *watchedBody) Close() error {
	if b.over {
		timer := time.AfterFunc(drainTime, func() { b.body.Close() })
		_, _ = io.CopyN(io.Discard, b.body, drainMax) // Whatever comes, it is not needed.
		timer.Stop()
	}
	b.unwatch()
	err := b.body.Close()
	b.cancel(nil)
	return err
}

// failed reads the answer to a request that a server turned down.
func (c *Client) failed(resp *http.Response, model string) *Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyMax+1<<10))
	e := c.failure(resp.StatusCode, resp.Header, body, model)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Kind, e.final, e.page, e.redirect = NotFound, true, false, true
		e.Message = c.endpoint.redact(resp.Header.Get("Location"))
	}
	if err != nil && e.Message == "" {
		e.Err = shy{err, c.endpoint}
	}
	return e
}
