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

	// waitMax is the longest wait between two attempts. If a server asks for more, the request fails,
	// and the user decides.
	waitMax = 60 * time.Second
)

// Client sends requests to one endpoint. It is safe for concurrent use.
type Client struct {
	endpoint Endpoint
	doer     Doer
	redactor *redact.Redactor // removes the secrets of the endpoint from answers

	mu     sync.Mutex
	facts  map[string]facts          // what the server taught, by model
	prices map[string]pricing.Prices // from the server's last list of models, by plainModel; a price may be unknown

	cachedMore bool // the last answer with cached tokens reported more of them than prompt tokens
}

// NewClient returns a client for an endpoint. It does not connect.
func NewClient(e Endpoint) *Client {
	c := &Client{
		endpoint: e, doer: e.Doer, redactor: new(redact.Redactor), facts: map[string]facts{},
	}
	c.redactor.AddSecrets(e.Secrets()...)
	if c.doer == nil {
		c.doer = NewHTTPClient()
	}
	return c
}

// Endpoint returns the endpoint of the client.
func (c *Client) Endpoint() Endpoint { return c.endpoint }

// Stream sends a request and yields the answer as it arrives. The sequence ends with Finished or with an error, which
// is always an *Error. If the connection is lost after the first token, Finished with EndCutOff comes before the error.
// If ctx ends, the error is an ErrStopped that wraps ctx.Err().
//
// A request that fails before its first token is sent again if the failure may be temporary, with a Retrying event
// before each wait. If the server refused a field of the request, Retrying.Change says what the client does differently
// from then on, for later requests too: AllLearned and RequestBody change. If only a value was refused,
// Retrying.Request holds the changed request. If the server requires the history in another format, the error has
// Replan set, and Profile has changed.
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

// retries tracks the attempts of one request.
type retries struct {
	client  *Client
	request Request // of the next attempt
	failed  int     // temporary failures so far
	adapted bool    // a value in the request was replaced
	pauses  *backoff.ExponentialBackOff
}

// next decides whether a request that failed before its first token is sent again, and describes the next attempt.
func (t *retries) next(e *Error) (w Retrying, again bool) {
	c, r := t.client, t.request
	limit := cmp.Or(c.endpoint.MaxAttempts, defaultTries)
	w = Retrying{
		Attempt: t.failed + 2, MaxAttempts: max(t.failed+2, limit), Err: e, Change: c.learnWire(e, r),
	}
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
		// The connection was refused on this machine: the server may still be starting, so try once more.
		limit = min(limit, 2)
	}
	if t.failed >= limit || !e.Retryable() || e.Wait > waitMax || e.ToolCause == ToolsNamed {
		return w, false
	}
	w.Delay = min(waitMax, max(e.Wait, t.pauses.NextBackOff()))
	return w, true
}

// asError returns the *Error for any error that ended an attempt.
func (c *Client) asError(ctx context.Context, err error, model string) *Error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	e := c.connectionError(err, model)
	e.Model = cmp.Or(e.Model, model)
	return e
}

// NewHTTPClient returns an HTTP client without a total timeout, because an answer may stream for an hour. It uses the
// proxies of the environment. It does not follow redirects: a POST would become a GET, and the conversation or the key
// could reach another server.
func NewHTTPClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// NewUnavailableClient returns a client whose requests all fail with the given reason. Nothing is sent.
func NewUnavailableClient(name string, reason error) *Client {
	doer := unavailable{name, reason}
	return NewClient(Endpoint{Name: name, BaseURL: "http://closed.invalid/v1", MaxAttempts: 1, Doer: doer})
}

// unavailable is a Doer that fails every request.
type unavailable struct {
	name   string
	reason error
}

func (c unavailable) Do(*http.Request) (*http.Response, error) {
	return nil, &Error{
		Kind: ErrNetwork, Endpoint: c.name, Message: c.reason.Error(), permanent: true,
	}
}

const (
	defaultIdle = 90 * time.Second

	// The default FirstByteTimeout. A self-hosted server may have to load a model and
	// process a long prompt first.
	hostedFirstByte     = 2 * time.Minute
	selfHostedFirstByte = 10 * time.Minute

	// completeIdle is the idle timeout once an answer is complete, and within a refusal.
	completeIdle = 5 * time.Second
)

// send does an HTTP request with the headers, the query and the key of the endpoint. A stored key is fetched unless the
// request already has a key. The body of the response is a *watchedBody.
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
	body := &watchedBody{
		ctx: ctx, cancel: cancel, client: c, timeout: cmp.Or(e.FirstByteTimeout, begin),
	}
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
	// Closing the body wakes up a reader that is blocked in Read.
	body.unwatch = context.AfterFunc(ctx, func() { body.body.Close() })
	if resp.StatusCode == http.StatusUnauthorized && e.StoredKey != nil {
		e.StoredKey.MarkRefused()
	}
	return resp, nil
}

// addStored adds the endpoint's stored key to a request, and registers it as a secret that no answer may repeat.
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

// watchedBody is a response body with an idle timeout. Read fails with an *Error on timeout, and as soon as the context
// of the request ends, whichever Doer is in use. Any byte resets the timer, even that of a comment.
type watchedBody struct {
	ctx            context.Context
	cancel         context.CancelCauseFunc
	unwatch        func() bool
	body           io.ReadCloser
	client         *Client
	timeout        time.Duration // how long the next Read may block
	answerComplete bool          // only the usage or the end is still expected
	beforeRead     func()        // called before each Read; may be nil
}

// limit cancels the request after a time without data.
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
		err = contextError(b.ctx) // A closed body may return io.EOF or any other error.
	}
	return n, err
}

// contextError is the error of a context that ended: the *Error of a timeout, else ctx.Err().
func contextError(ctx context.Context) error {
	var silence *Error
	if errors.As(context.Cause(ctx), &silence) {
		return silence
	}
	return ctx.Err()
}

// Close closes the body and releases its timers and context.
func (b *watchedBody) Close() error {
	b.unwatch()
	err := b.body.Close()
	b.cancel(nil)
	return err
}

// MaxAnswerBytes is the maximum size of an answer, including reasoning and tool calls. It protects memory and disk from
// a server that never stops.
const MaxAnswerBytes = 16 << 20

// errReaderGone reports that the reader of a stream stopped iterating.
var errReaderGone = errors.New("the reader of the stream is gone")

// attempt is one HTTP request and its answer. go-openai opens and reads the stream, and attempt is the HTTP client
// below it: it replaces the request by the address and the recorded bytes, and filters the response so that the library
// can read what any server sends. It returns a refusal as an *Error, which the library passes through.
type attempt struct {
	client *Client
	model  string
	format Wire
	body   []byte
	yield  func(Event, error) bool // the consumer of the events

	resp    *http.Response
	watched *watchedBody    // the body of resp
	lines   *wire.SSEReader // the filter that go-openai reads watched through
	answer  *wire.Answer
	ignored []byte // the last event that was not part of an answer

	readerGone bool             // yield returned false and must not be called again
	began      bool             // part of the answer was passed to yield
	bytes      int              // size of that part
	redactors  []*redact.Stream // by channel; they find secrets that are split over several pieces
}

// attempt sends the request once. began reports whether part of the answer was passed to yield.
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

// Do sends the request for go-openai.
func (a *attempt) Do(req *http.Request) (*http.Response, error) {
	address, err := url.Parse(a.client.endpoint.requestURL(a.format))
	if err != nil {
		return nil, a.client.connectionError(err, a.model)
	}
	req.URL, req.Host = address, address.Host
	// Exactly these bytes were hashed and recorded.
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

// receive turns the stream into events. It passes them on before each blocking Read, so that text that arrived together
// becomes one event.
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

// read adds the data of one event to the answer. It returns the server's error if the data is one.
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

// streamError is the error of a connection that was lost in the middle of an answer.
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

// finish passes on what was held back, and Finished unless the server failed. err is what ended the answer, nil or
// io.EOF if nothing went wrong. It returns the error to report.
func (a *attempt) finish(err error) error {
	finished := Finished{Reason: a.answer.FinishReason, End: EndNoDone}
	if err == io.EOF {
		err = nil
		if !a.lines.Done && !a.answer.Began {
			err = a.emptyAnswer()
		}
	}
	a.emitAll(a.answer.Flush())
	for channel, redactor := range a.redactors {
		a.emitText(wire.Channel(channel), redactor.Flush())
	}
	if a.readerGone {
		return errReaderGone
	}
	// Without the failure the answer would have continued, unless the server itself reported an error.
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

// emptyAnswer is the error of an answer without content.
func (a *attempt) emptyAnswer() *Error {
	if a.ignored != nil {
		return a.client.unexpectedBody(a.resp, a.ignored, a.model)
	}
	e := a.client.permanentError(ErrEmptyAnswer, a.model, nil)
	e.Status = a.resp.StatusCode
	return e
}

// emitAll passes events to the reader, with the secrets removed.
func (a *attempt) emitAll(events []wire.Event) {
	known := a.client.redactor.RedactKnown
	for _, e := range events {
		if e.Usage != nil {
			if usage, ok := pricing.ReadUsage(e.Usage); ok {
				a.emit(UsageReport{a.client.withCached(a.model, usage)})
			}
			continue
		}
		a.began = true
		a.bytes += len(e.ID) + len(e.Name) + len(e.Text)
		if e.ID+e.Name != "" || e.Text == "" {
			a.emit(ToolDelta{
				Index: int(e.Channel - wire.FirstCallChannel), ID: known(e.ID), Name: known(e.Name),
			})
		}
		for int(e.Channel) >= len(a.redactors) {
			a.redactors = append(a.redactors, a.client.redactor.Stream())
		}
		a.emitText(e.Channel, a.redactors[e.Channel].Redact(e.Text))
	}
}

// emitText passes on text of a channel as the event of that channel.
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

// emit passes one event to the reader, unless it has stopped iterating.
func (a *attempt) emit(e Event) {
	a.readerGone = a.readerGone || !a.yield(e, nil)
}
