package llm

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"winnow/llm/ollama"
	"winnow/llm/pricing"
	"winnow/llm/redact"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"
)

const (
	defaultTries = 3
	defaultIdle  = 90 * time.Second

	// The silence allowed before the first byte. A server of the user's own may have to load a model and
	// read a long prompt first.
	hostedBegin = 2 * time.Minute
	ownBegin    = 10 * time.Minute

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
	listed []string                  // the models of the newest list, as plainModel writes them
	shown  map[string]ollama.Model   // what Ollama says of its models, by plainModel
	prices map[string]pricing.Prices // what the list of models said of prices, by plainModel; nil before it was read

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

// Dial opens a connection, as net.Dialer.DialContext does.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// OverNetwork does HTTP without a limit on the whole answer, which may stream for an hour. It follows no
// redirect: a POST would become a GET, and the conversation or the key could go to a stranger. It uses
// the proxies that the environment names. Where dial is given, it opens every connection: no proxy is
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

func (c *Client) begin() time.Duration {
	if c.endpoint.Own() {
		return cmp.Or(c.endpoint.Begin, ownBegin)
	}
	return cmp.Or(c.endpoint.Begin, hostedBegin)
}

func (c *Client) tries() int { return cmp.Or(c.endpoint.Tries, defaultTries) }

// Stream asks the model and gives the answer as it arrives. It ends with Finished, or with an
// error, always an *Error, after what had arrived until then. A connection that breaks after the
// first token gives Finished with CutOff and then the error. When ctx ends, the error is of kind
// Stopped and wraps ctx.Err().
//
// A request that fails before its first token is tried again, with a Waiting event before each
// wait, where the failure may pass. A Waiting that is Changed says that the server refused a field
// of the request: from then on Known, and the bytes of Body, are different, or, where only a value was refused, the
// Request for which this goes on. Where the server wants
// the history itself in another format, the error says Replan, and from then on Profile is different.
func (c *Client) Stream(ctx context.Context, r Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		pauses := backoff.NewExponentialBackOff()
		pauses.Multiplier, pauses.MaxInterval = 2, waitMax/2
		adapted := false // a value in the request was replaced
		for try := 1; ; {
			began, err := c.attempt(ctx, r, yield)
			if err == nil || errors.Is(err, errNoMore) {
				return
			}
			e := c.asError(ctx, err, r.Model)
			if began || e.Kind == Stopped {
				yield(nil, e)
				return
			}
			how, learned := c.learnWire(e, r)
			if e.Replan = !learned && c.learnFormat(e, r); e.Replan {
				yield(nil, e)
				return
			}
			if !learned {
				how, learned = c.learn(e, r)
			}
			w := Waiting{Attempt: try + 1, Of: max(try+1, c.tries()), Err: e}
			if learned {
				w.Changed = how
			} else if next, how, ok := c.adapt(e, r, adapted); ok {
				r, adapted = next, true
				w.Changed, w.Request = how, &next
			} else {
				e.Tools = e.toolCause(r)
				again := false
				if w.After, again = c.pause(e, try, pauses); !again {
					yield(nil, e)
					return
				}
				try++
			}
			if !yield(w, nil) {
				return
			}
			if !waited(ctx, w.After) {
				e := stopped(ctx)
				e.Unsent = true
				yield(nil, e)
				return
			}
		}
	}
}

// pause is how long to wait after a try that failed, and whether another one makes sense.
func (c *Client) pause(e *Error, try int, pauses *backoff.ExponentialBackOff) (time.Duration, bool) {
	limit := c.tries()
	if e.Kind == Refused && c.endpoint.loopback() {
		// Nothing listens on this machine: a server that is just starting gets one more chance.
		limit = min(limit, 2)
	}
	if try >= limit || !e.Retryable() || e.Wait > waitMax || e.Tools == TheTools {
		return 0, false
	}
	return min(waitMax, max(e.Wait, pauses.NextBackOff())), true
}

// waited lets time pass. It is false when ctx ended first.
func waited(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// errNoMore says that the reader of a stream went away.
var errNoMore = errors.New("the reader of the stream is gone")

// attempt sends the request once. Began says that a part of the answer was given to yield.
func (c *Client) attempt(ctx context.Context, r Request, yield func(Event, error) bool) (began bool, err error) {
	format := wireOf(c.Wire(r.Model))
	body, err := c.encoded(format, r)
	if err != nil {
		e := c.blank(r.Model)
		e.Kind, e.final, e.Message, e.Err = BadRequest, true, err.Error(), err
		return false, e
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &attempt{client: c, model: r.Model, address: format.address(c.endpoint), body: body, reader: format.reader()}
	config := openai.DefaultConfig("")
	config.BaseURL = c.endpoint.at("")
	config.HTTPClient = a
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{})
	if err != nil {
		return false, err
	}
	defer stream.Close()
	d := &delivery{client: c, model: r.Model, yield: yield, text: c.redactor.Stream(), reasoning: c.redactor.Stream()}
	err = a.receive(stream, d)
	return d.began, err
}

// LargestAnswer is how long an answer may get in bytes, reasoning and tool calls included. A server that
// never ends would otherwise fill memory and disk.
const LargestAnswer = 16 << 20

// delivery hands the events of one answer to the reader of the stream, without the secrets that they must not
// repeat. The pieces of a text are joined until more of the answer has to be waited for.
type delivery struct {
	client *Client
	model  string
	yield  func(Event, error) bool
	gone   bool // the reader of the stream is gone: yield is not called any more
	began  bool // a part of the answer came
	bytes  int  // how long it is

	pieces  []byte // of the text or the reasoning, not given yet
	thought bool   // they are reasoning

	text, reasoning *redact.Stream
	arguments       []*redact.Stream // of each call
}

// give hands on events. It is false when the reader is gone.
func (d *delivery) give(events ...Event) bool {
	for _, e := range events {
		switch e := e.(type) {
		case TextDelta:
			d.join(e.Text, false)
			continue
		case ReasoningDelta:
			d.join(e.Text, true)
			continue
		}
		if !d.flush() {
			return false
		}
		switch e := e.(type) {
		case ToolDelta:
			d.came(len(e.ID) + len(e.Name) + len(e.Arguments))
			for e.Index >= len(d.arguments) {
				d.arguments = append(d.arguments, d.client.redactor.Stream())
			}
			e.ID, e.Name = d.client.redactor.Known(e.ID), d.client.redactor.Known(e.Name)
			e.Arguments = d.arguments[e.Index].Pass(e.Arguments)
			d.hand(e)
		case UsageReport:
			d.hand(UsageReport{d.client.withCached(d.model, e.Usage)})
		}
	}
	return !d.gone
}

// hand gives an event to the reader of the stream, unless that is gone.
func (d *delivery) hand(e Event) bool {
	d.gone = d.gone || !d.yield(e, nil)
	return !d.gone
}

// join adds a piece to those that are not given yet.
func (d *delivery) join(piece string, thought bool) {
	d.came(len(piece))
	if d.thought != thought {
		d.flush()
		d.thought = thought
	}
	d.pieces = append(d.pieces, piece...)
}

// flush gives the pieces that were joined. It is false when the reader is gone.
func (d *delivery) flush() bool {
	if len(d.pieces) == 0 {
		return !d.gone
	}
	joined := string(d.pieces)
	d.pieces = d.pieces[:0]
	if d.thought {
		if joined = d.reasoning.Pass(joined); joined != "" {
			d.hand(ReasoningDelta{joined})
		}
	} else if joined = d.text.Pass(joined); joined != "" {
		d.hand(TextDelta{joined})
	}
	return !d.gone
}

// came counts a piece of the answer.
func (d *delivery) came(bytes int) {
	d.began = true
	d.bytes += bytes
}

// release gives what was held back because it might have been the beginning of a secret.
func (d *delivery) release() bool {
	d.flush()
	if rest := d.reasoning.Rest(); rest != "" {
		d.hand(ReasoningDelta{rest})
	}
	if rest := d.text.Rest(); rest != "" {
		d.hand(TextDelta{rest})
	}
	for i, arguments := range d.arguments {
		if rest := arguments.Rest(); rest != "" {
			d.hand(ToolDelta{Index: i, Arguments: rest})
		}
	}
	return !d.gone
}

// receive turns what the server streams into events.
func (a *attempt) receive(stream *openai.ChatCompletionStream, d *delivery) error {
	answer := answer{keepID: a.client.diagnosis(a.model) != noDiagnosis}
	body, _ := a.resp.Body.(*watchedBody)
	if body != nil {
		body.waits = d.flush
		defer func() { body.waits = nil }()
	}
	for {
		data, err := stream.RecvRaw()
		if err == nil {
			err = a.read(data, &answer)
		} else if err != io.EOF {
			err = a.broken(err)
		}
		if !d.give(answer.take()...) {
			return errNoMore
		}
		if body != nil {
			body.over = answer.finish != "" || answer.done || a.events.Done
		}
		if err == nil && d.bytes > LargestAnswer {
			e := a.client.blank(a.model)
			e.Kind, e.final = Endless, true
			err = e
		}
		if err != nil || answer.done {
			return a.finish(err, &answer, d)
		}
	}
}

// finish ends an answer: what is held back comes out, and how it ended where that is no failure of the server's
// own. err is what ended it, nil or io.EOF where it ended in order. It returns the error that is left.
func (a *attempt) finish(err error, answer *answer, d *delivery) error {
	if err == io.EOF {
		err = nil
		if !a.events.Done && !answer.began {
			err = a.strange(a.ignored)
		}
	}
	events, finished := answer.end(a.events.Done)
	if !d.give(events...) || !d.release() {
		return errNoMore
	}
	switch {
	case err == nil, finished.End == Done && !isStop(err):
		err = nil
	case d.began && isCut(err):
		finished.End = CutOff
	default:
		return err
	}
	if finished.Extra != nil {
		finished.Extra = json.RawMessage(a.client.redactor.Known(string(finished.Extra)))
	}
	if !d.yield(finished, nil) {
		return errNoMore
	}
	return err
}

// isCut says that the answer went on when its end came: the server did not say that it failed, and nobody
// stopped it.
func isCut(err error) bool {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind == Broken || e.Kind == TimedOut || e.Kind == Endless
	}
	return !isStop(err)
}

func isStop(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// asError makes an *Error of whatever ended an attempt.
func (c *Client) asError(ctx context.Context, err error, model string) *Error {
	if ctx.Err() != nil {
		return stopped(ctx)
	}
	var e *Error
	if !errors.As(err, &e) {
		e = c.unreached(ctx, err, model)
	}
	if e.Model == "" {
		e.Model = model
	}
	return e
}

// Models lists the models that the endpoint offers, in its own order.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	entries, err := c.list(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, windowTime) // The list itself has come.
	defer cancel()
	running, isOllama := c.running(ctx)
	models := make([]Model, 0, len(entries))
	for _, m := range entries {
		window := m.window(c.endpoint.local())
		if w, ok := running[plainModel(m.name())]; ok {
			if window = w; isOllama {
				window.Most = c.mostOllama(ctx, m.name())
			}
		}
		models = append(models, Model{Endpoint: c.endpoint.Name, ID: m.name(), Window: window})
	}
	return slices.Clip(models), nil
}
