package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	openai "github.com/sashabaranov/go-openai"

	"winnow/llm/redact"
	"winnow/llm/wire"
)

// LargestAnswer is how long an answer may get in bytes, reasoning and tool calls included. A server that
// never ends would otherwise fill memory and disk.
const LargestAnswer = 16 << 20

// errNoMore says that the reader of a stream went away.
var errNoMore = errors.New("the reader of the stream is gone")

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
	watched *watchedBody // its body
	lines   *wire.Lines  // and what is read of it
	answer  *wire.Answer
	ignored []byte // the newest event that was no part of an answer

	gone    bool   // the reader is gone: yield is not called any more
	began   bool   // a part of the answer was given to it
	bytes   int    // how long that is
	pieces  []byte // of one channel, which are joined until more of the answer has to be waited for
	channel wire.Channel
	hiding  []*redact.Stream // by channel, what keeps secrets out that come in pieces
}

// attempt sends the request once. Began says that a part of the answer was given to yield.
func (c *Client) attempt(ctx context.Context, r Request, yield func(Event, error) bool) (began bool, err error) {
	body, err := c.Body(r)
	if err != nil {
		return false, c.lasting(BadRequest, r.Model, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	format := c.Wire(r.Model)
	a := &attempt{
		client: c, model: r.Model, format: format, body: body, yield: yield, answer: wire.NewAnswer(format),
	}
	config := openai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = c.endpoint.at(""), a
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
	address, err := url.Parse(a.client.endpoint.addressOf(a.format))
	if err != nil {
		return nil, a.client.unreached(err, a.model)
	}
	req.URL, req.Host = address, address.Host
	// These bytes were hashed and recorded, so they and no others are sent.
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(a.body))
	resp, err := a.client.send(req)
	if err != nil {
		return nil, a.client.unreached(err, a.model)
	}
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, a.client.failed(resp, a.model)
	}
	a.resp, a.watched = resp, resp.Body.(*watchedBody)
	a.lines = wire.NewLines(a.watched)
	resp.Body = struct {
		io.Reader
		io.Closer
	}{a.lines, a.watched}
	return resp, nil
}

// receive turns what the server streams into events.
func (a *attempt) receive(stream *openai.ChatCompletionStream) error {
	a.watched.waits = a.flush
	defer func() { a.watched.waits = nil }()
	for {
		data, err := stream.RecvRaw()
		if err == nil {
			err = a.read(data)
		} else if err != io.EOF {
			err = a.broken(err)
		}
		if !a.take(a.answer.Events()) {
			return errNoMore
		}
		a.watched.over = a.answer.Finish != "" || a.answer.Done || a.lines.Done
		if err == nil && a.bytes > LargestAnswer {
			err = a.client.lasting(Endless, a.model, nil)
		}
		if err != nil || a.answer.Done {
			return a.finish(err)
		}
	}
}

// read adds the data of one event to the answer. It gives the server's error if that is what the data holds.
func (a *attempt) read(data []byte) error {
	err := a.answer.Read(data)
	var refusal wire.Refusal
	switch {
	case errors.As(err, &refusal):
		return a.client.failure(http.StatusOK, a.resp.Header, refusal, a.model)
	case err != nil:
		e := a.client.strange(a.resp, data, a.model)
		e.Message = "a part of the answer is not JSON: " + e.Body
		return e
	case !a.answer.Began:
		a.ignored = data // ping and the like
	}
	return nil
}

// broken is the error of a connection that ended in the middle of an answer.
func (a *attempt) broken(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	if errors.Is(err, wire.ErrLongLine) {
		return a.client.lasting(BadStream, a.model, err)
	}
	e := a.client.blank(a.model)
	e.Kind, e.Err = Broken, errors.New(a.client.shown(err.Error()))
	return e
}

// finish ends an answer: what is held back comes out, and how it ended if that is no failure of the server's own. err
// is what ended it, nil or io.EOF if it ended in order. It returns the error that is left.
func (a *attempt) finish(err error) error {
	finished := Finished{Reason: a.answer.Finish, End: NoDone}
	if err == io.EOF {
		err = nil
		if !a.lines.Done && !a.answer.Began {
			err = a.nothing()
		}
	}
	a.take(a.answer.End())
	a.flush()
	for channel, hiding := range a.hiding {
		a.piece(wire.Channel(channel), hiding.Rest())
	}
	if a.gone {
		return errNoMore
	}
	// An answer would have gone on where an error ended it, unless the server said that it failed.
	e := new(Error)
	goesOn := !errors.As(err, &e) || e.Kind == Broken || e.Kind == TimedOut || e.Kind == Endless
	switch stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded); {
	case a.watched.over && !stopped:
		finished.End, err = Done, nil
	case err == nil:
	case a.began && !stopped && goesOn:
		finished.End = CutOff
	default:
		return err
	}
	if extra := a.answer.Extra(); extra != nil {
		finished.Extra = json.RawMessage(a.client.redactor.Known(string(extra)))
	}
	if !a.yield(finished, nil) {
		return errNoMore
	}
	return err
}

// nothing is the error of an answer of which no part came.
func (a *attempt) nothing() *Error {
	if a.ignored != nil {
		return a.client.strange(a.resp, a.ignored, a.model)
	}
	e := a.client.lasting(Empty, a.model, nil)
	e.Status = a.resp.StatusCode
	return e
}

// take hands on events, without the secrets that they must not repeat. It is false when the reader is gone.
func (a *attempt) take(events []wire.Event) bool {
	known := a.client.redactor.Known
	for _, e := range events {
		if e.Usage != nil {
			if usage, ok := usageOf(decoded(e.Usage)); ok {
				a.flush()
				a.give(UsageReport{a.client.withCached(a.model, usage)})
			}
			continue
		}
		a.began = true
		a.bytes += len(e.ID) + len(e.Name) + len(e.Text)
		if e.ID+e.Name != "" || e.Text == "" {
			a.flush()
			a.give(ToolDelta{Index: int(e.Channel - wire.Calls), ID: known(e.ID), Name: known(e.Name)})
		}
		if a.channel != e.Channel {
			a.flush()
			a.channel = e.Channel
		}
		a.pieces = append(a.pieces, e.Text...)
	}
	return !a.gone
}

// flush gives the pieces that were joined, but for what might be the beginning of a secret. It is false when the
// reader is gone.
func (a *attempt) flush() bool {
	if len(a.pieces) == 0 {
		return !a.gone
	}
	for int(a.channel) >= len(a.hiding) {
		a.hiding = append(a.hiding, a.client.redactor.Stream())
	}
	piece := a.hiding[a.channel].Pass(string(a.pieces))
	a.pieces = a.pieces[:0]
	a.piece(a.channel, piece)
	return !a.gone
}

// piece gives a piece of a channel.
func (a *attempt) piece(channel wire.Channel, text string) {
	switch {
	case text == "":
	case channel == wire.Reasoning:
		a.give(ReasoningDelta{text})
	case channel == wire.Text:
		a.give(TextDelta{text})
	default:
		a.give(ToolDelta{Index: int(channel - wire.Calls), Arguments: text})
	}
}

// give hands an event to the reader, unless that is gone.
func (a *attempt) give(e Event) {
	a.gone = a.gone || !a.yield(e, nil)
}
