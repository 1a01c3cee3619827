package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"

	"winnow/llm/pricing"
	"winnow/llm/redact"
	"winnow/llm/wire"
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
	c.redactor.AddSecrets(e.Secrets()...)
	if c.doer == nil {
		c.doer = NewHTTPClient()
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
			if err == nil || errors.Is(err, errReaderGone) {
				return
			}
			e := c.asError(ctx, err, r.Model)
			if began || e.Kind == ErrStopped {
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
			case <-time.After(w.Delay):
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
func (t *retries) next(e *Error) (w Retrying, again bool) {
	c, r := t.client, t.request
	limit := cmp.Or(c.endpoint.MaxAttempts, defaultTries)
	w = Retrying{Attempt: t.failed + 2, MaxAttempts: max(t.failed+2, limit), Err: e, Change: c.learnWire(e, r)}
	if w.Change != "" {
		return w, true
	}
	if c.learnFormat(e, r) {
		e.Replan = true
		return w, false
	}
	w.Change, w.Request = c.adaptRequest(e, r, t.adapted)
	if w.Request != nil {
		t.request, t.adapted = *w.Request, true
	}
	if w.Change != "" {
		return w, true
	}
	e.ToolCause = e.toolCause(r)
	t.failed++
	if e.Kind == ErrConnectionRefused && c.endpoint.loopback() {
		// Nothing listens on this machine: a server that is just starting gets one more chance.
		limit = min(limit, 2)
	}
	if t.failed >= limit || !e.Retryable() || e.Wait > waitMax || e.ToolCause == ToolsNamed {
		return w, false
	}
	w.Delay = min(waitMax, max(e.Wait, t.pauses.NextBackOff()))
	return w, true
}

// asError makes an *Error of whatever ended an attempt.
func (c *Client) asError(ctx context.Context, err error, model string) *Error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	e := c.connectionError(err, model)
	e.Model = cmp.Or(e.Model, model)
	return e
}

// OverNetwork does HTTP without a limit on the whole answer, which may stream for an hour. It follows no
// redirect: a POST would become a GET, and the conversation or the key could go to a stranger. It uses
// the proxies that the environment names.
func NewHTTPClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// NewClosedClient makes the client of an endpoint that cannot be asked: every request fails with the
// reason, and nothing leaves.
func NewUnavailableClient(name string, reason error) *Client {
	return NewClient(Endpoint{Name: name, BaseURL: "http://closed.invalid/v1", MaxAttempts: 1, Doer: unavailable{name, reason}})
}

// closed refuses every request.
type unavailable struct {
	name   string
	reason error
}

func (c unavailable) Do(*http.Request) (*http.Response, error) {
	return nil, &Error{Kind: ErrNetwork, Endpoint: c.name, Message: c.reason.Error(), permanent: true}
}

const (
	defaultIdle = 90 * time.Second

	// The silence allowed before the first byte. A server of the user's own may have to load a model and
	// read a long prompt first.
	hostedFirstByte     = 2 * time.Minute
	selfHostedFirstByte = 10 * time.Minute

	// overIdle is the silence allowed once an answer is whole, and within a refusal.
	completeIdle = 5 * time.Second
)

// send does a request with what lets it in: the headers and the query of the endpoint, and its key. A key that is
// stored is fetched, unless the request has another. The answer's body is a *watchedBody.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	e, begin := c.endpoint, hostedFirstByte
	if e.IsSelfHosted() {
		begin = selfHostedFirstByte
	}
	if e.Key != "" {
		req.Header.Set("Authorization", "Bearer "+e.Key.Reveal())
	}
	for name, value := range e.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "winnow")
	if query := e.parsedURL().RawQuery; query != "" {
		req.URL.RawQuery = query
	}
	header := req.Header
	if cmp.Or(header.Get("Authorization"), header.Get("X-Api-Key"), header.Get("X-Goog-Api-Key")) == "" {
		if err := c.addStored(req); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(req.Context())
	body := &watchedBody{ctx: ctx, cancel: cancel, client: c, timeout: cmp.Or(e.FirstByteTimeout, begin)}
	timer := body.limit(body.timeout)
	resp, err := c.doer.Do(req.WithContext(ctx))
	timer.Stop()
	if err != nil {
		if ctx.Err() != nil {
			err = contextError(ctx)
		}
		cancel(nil)
		return nil, err
	}
	body.body, resp.Body = resp.Body, body
	// A reader that waits in Read is woken by closing what it waits for.
	body.unwatch = context.AfterFunc(ctx, func() { body.body.Close() })
	if resp.StatusCode == http.StatusUnauthorized && e.StoredKey != nil {
		e.StoredKey.MarkRefused()
	}
	return resp, nil
}

// addStored adds the key that is fetched when a request needs it. From then on no answer may repeat it.
func (c *Client) addStored(req *http.Request) error {
	if c.endpoint.StoredKey == nil {
		return nil
	}
	key, err := c.endpoint.StoredKey.Get(req.Context())
	switch {
	case req.Context().Err() != nil:
		return req.Context().Err()
	case err != nil:
		e := c.permanentError(ErrAuth, "", err)
		e.say = "{who} was not asked, because its API key cannot be read"
		return e
	case key != "":
		req.Header.Set("Authorization", "Bearer "+key.Reveal())
	}
	c.redactor.AddSecrets(c.endpoint.Secrets()...)
	return nil
}

// watchedBody is the body of an answer. It ends with an *Error when it is silent for too long, and at once when the
// request's context ends, whoever does the HTTP. Any byte breaks the silence, those of comments too.
type watchedBody struct {
	ctx            context.Context
	cancel         context.CancelCauseFunc
	unwatch        func() bool
	body           io.ReadCloser
	client         *Client
	timeout        time.Duration // the silence
	answerComplete bool          // nothing is waited for but the end, or the usage
	beforeRead     func()        // is called before more of the answer is waited for; nil does nothing
}

// limit ends the request after a silence.
func (b *watchedBody) limit(silence time.Duration) *time.Timer {
	return time.AfterFunc(silence, func() {
		e := b.client.permanentError(ErrTimeout, "", nil)
		e.say = "{who} sent nothing for " + silence.String()
		b.cancel(e)
	})
}

func (b *watchedBody) Read(p []byte) (int, error) {
	if b.beforeRead != nil {
		b.beforeRead()
	}
	allowed := b.timeout
	if b.answerComplete {
		allowed = min(allowed, completeIdle)
	}
	timer := b.limit(allowed)
	n, err := b.body.Read(p)
	timer.Stop()
	if n > 0 {
		b.timeout = cmp.Or(b.client.endpoint.IdleTimeout, defaultIdle)
	}
	if err != nil && b.ctx.Err() != nil {
		err = contextError(b.ctx) // A body that was closed gives io.EOF or any other error.
	}
	return n, err
}

// endOf is the error of a context that ended: the *Error where the server was silent for too long, else ctx.Err().
func contextError(ctx context.Context) error {
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

// LargestAnswer is how long an answer may get in bytes, reasoning and tool calls included. A server that
// never ends would otherwise fill memory and disk.
const MaxAnswerBytes = 16 << 20

// errNoMore says that the reader of a stream went away.
var errReaderGone = errors.New("the reader of the stream is gone")

// attempt is one request and its answer. go-openai opens and reads the stream, and attempt is the HTTP client below
// it: on the way out it puts in the address and the bytes that were recorded; on the way back it filters the lines, so
// that the library can read what any server sends. A refusal becomes an *Error, which the library passes on as it is.
type attempt struct {
	client *Client
	model  string
	format Wire
	body   []byte
	yield  func(Event, error) bool // the reader of the events

	resp    *http.Response
	watched *watchedBody    // its body
	lines   *wire.SSEReader // and what is read of it
	answer  *wire.Answer
	ignored []byte // the newest event that was no part of an answer

	readerGone bool             // the reader is gone: yield is not called any more
	began      bool             // a part of the answer was given to it
	bytes      int              // how long that is
	redactors  []*redact.Stream // by channel, what keeps secrets out that come in pieces
}

// attempt sends the request once. Began says that a part of the answer was given to yield.
func (c *Client) attempt(ctx context.Context, r Request, yield func(Event, error) bool) (began bool, err error) {
	body, err := c.RequestBody(r)
	if err != nil {
		return false, c.permanentError(ErrBadRequest, r.Model, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	format := c.Wire(r.Model)
	a := &attempt{
		client: c, model: r.Model, format: format, body: body, yield: yield, answer: wire.NewAnswer(format),
	}
	config := openai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = c.endpoint.urlOf(""), a
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{})
	if err != nil {
		return false, err
	}
	defer stream.Close()
	err = a.receive(stream)
	return a.began, err
}

// Do sends the request.
func (a *attempt) Do(req *http.Request) (*http.Response, error) {
	address, err := url.Parse(a.client.endpoint.requestURL(a.format))
	if err != nil {
		return nil, a.client.connectionError(err, a.model)
	}
	req.URL, req.Host = address, address.Host
	// These bytes were hashed and recorded, so they and no others are sent.
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(a.body))
	resp, err := a.client.send(req)
	if err != nil {
		return nil, a.client.connectionError(err, a.model)
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, a.client.readRefusal(resp, a.model)
	}
	a.resp, a.watched = resp, resp.Body.(*watchedBody)
	a.lines = wire.NewSSEReader(a.watched)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{a.lines, a.watched}
	return resp, nil
}

// receive turns what the server streams into events. They are given before more of the answer is waited for, so that
// the reader gets what came together as one.
func (a *attempt) receive(stream *openai.ChatCompletionStream) error {
	a.watched.beforeRead = func() { a.emitAll(a.answer.Events()) }
	for {
		data, err := stream.RecvRaw()
		if err == nil {
			err = a.read(data)
		} else if err != io.EOF {
			err = a.streamError(err)
		}
		if a.readerGone {
			return errReaderGone
		}
		a.watched.answerComplete = a.answer.FinishReason != "" || a.answer.Done || a.lines.Done
		if err == nil && a.bytes > MaxAnswerBytes {
			err = a.client.permanentError(ErrAnswerTooLong, a.model, nil)
		}
		if err != nil || a.answer.Done {
			return a.finish(err)
		}
	}
}

// read adds the data of one event to the answer. It gives the server's error if that is what the data holds.
func (a *attempt) read(data []byte) error {
	err := a.answer.Feed(data)
	var refusal wire.Refusal
	switch {
	case errors.As(err, &refusal):
		return a.client.refusalError(http.StatusOK, a.resp.Header, refusal, a.model)
	case err != nil:
		e := a.client.unexpectedBody(a.resp, data, a.model)
		e.Message = "a part of the answer is not JSON: " + e.Body
		return e
	case !a.answer.Began:
		a.ignored = data // ping and the like
	}
	return nil
}

// broken is the error of a connection that ended in the middle of an answer.
func (a *attempt) streamError(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, wire.ErrLineTooLong) {
		return a.client.permanentError(ErrBadResponse, a.model, err)
	}
	e := a.client.newError(a.model)
	e.Kind = ErrConnectionLost
	return e
}

// finish ends an answer: what is held back comes out, and how it ended if that is no failure of the server's own. err
// is what ended it, nil or io.EOF if it ended in order. It returns the error that is left.
func (a *attempt) finish(err error) error {
	finished := Finished{Reason: a.answer.FinishReason, End: EndNoDone}
	if err == io.EOF {
		err = nil
		if !a.lines.Done && !a.answer.Began {
			err = a.emptyAnswer()
		}
	}
	a.emitAll(a.answer.Flush())
	for channel, hiding := range a.redactors {
		a.emitText(wire.Channel(channel), hiding.Flush())
	}
	if a.readerGone {
		return errReaderGone
	}
	// An answer would have gone on where an error ended it, unless the server said that it failed.
	e := new(Error)
	goesOn := !errors.As(err, &e) || e.Kind == ErrConnectionLost || e.Kind == ErrTimeout || e.Kind == ErrAnswerTooLong
	switch stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); {
	case a.watched.answerComplete && !stopped:
		finished.End, err = EndDone, nil
	case err == nil:
	case a.began && !stopped && goesOn:
		finished.End = EndCutOff
	default:
		return err
	}
	if extra := a.answer.Extra(); extra != nil {
		finished.Extra = json.RawMessage(a.client.redactor.RedactKnown(string(extra)))
	}
	if !a.yield(finished, nil) {
		return errReaderGone
	}
	return err
}

// nothing is the error of an answer of which no part came.
func (a *attempt) emptyAnswer() *Error {
	if a.ignored != nil {
		return a.client.unexpectedBody(a.resp, a.ignored, a.model)
	}
	e := a.client.permanentError(ErrEmptyAnswer, a.model, nil)
	e.Status = a.resp.StatusCode
	return e
}

// take hands on events, without the secrets that they must not repeat.
func (a *attempt) emitAll(events []wire.Event) {
	known := a.client.redactor.RedactKnown
	for _, e := range events {
		if e.Usage != nil {
			if usage, ok := usageOf(e.Usage); ok {
				a.emit(UsageReport{a.client.withCached(a.model, usage)})
			}
			continue
		}
		a.began = true
		a.bytes += len(e.ID) + len(e.Name) + len(e.Text)
		if e.ID+e.Name != "" || e.Text == "" {
			a.emit(ToolDelta{Index: int(e.Channel - wire.FirstCallChannel), ID: known(e.ID), Name: known(e.Name)})
		}
		for int(e.Channel) >= len(a.redactors) {
			a.redactors = append(a.redactors, a.client.redactor.Stream())
		}
		a.emitText(e.Channel, a.redactors[e.Channel].Redact(e.Text))
	}
}

// piece gives a piece of a channel.
func (a *attempt) emitText(channel wire.Channel, text string) {
	switch {
	case text == "":
	case channel == wire.ReasoningChannel:
		a.emit(ReasoningDelta{text})
	case channel == wire.TextChannel:
		a.emit(TextDelta{text})
	default:
		a.emit(ToolDelta{Index: int(channel - wire.FirstCallChannel), Arguments: text})
	}
}

// give hands an event to the reader, unless that is gone.
func (a *attempt) emit(e Event) {
	a.readerGone = a.readerGone || !a.yield(e, nil)
}
