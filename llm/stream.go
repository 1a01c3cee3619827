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

// attempt is one request and its answer. go-openai opens and reads the stream, and attempt is the HTTP client below
// it: on the way out it puts in the address and the bytes that were recorded; on the way back it filters the lines, so
// that the library can read what any server sends. A refusal becomes an *Error, which the library passes on as it is.
type attempt struct {
	client  *Client
	model   string
	address string // the URL without a query
	body    []byte
	answer  *wire.Answer

	resp    *http.Response
	watched *watchedBody // its body
	lines   *wire.Lines  // and what is read of it
	ignored []byte       // the newest event that was no part of an answer
}

// errNoMore says that the reader of a stream went away.
var errNoMore = errors.New("the reader of the stream is gone")

// attempt sends the request once. Began says that a part of the answer was given to yield.
func (c *Client) attempt(ctx context.Context, r Request, yield func(Event, error) bool) (began bool, err error) {
	format := c.Wire(r.Model)
	body, err := c.encoded(format, r)
	if err != nil {
		return false, c.lasting(BadRequest, r.Model, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	address := c.endpoint.addressOf(format)
	a := &attempt{client: c, model: r.Model, address: address, body: body, answer: wire.NewAnswer(format)}
	a.answer.KeepID = c.diagnoses(r.Model)
	config := openai.DefaultConfig("")
	config.BaseURL, config.HTTPClient = c.endpoint.at(""), a
	stream, err := openai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{})
	if err != nil {
		return false, err
	}
	defer stream.Close()
	d := &delivery{client: c, model: r.Model, yield: yield}
	err = a.receive(stream, d)
	return d.began, err
}

// Do sends the request.
func (a *attempt) Do(req *http.Request) (*http.Response, error) {
	address, err := url.Parse(a.address)
	if err != nil {
		return nil, a.client.unreached(err, a.model)
	}
	req.URL, req.Host = address, address.Host
	// These bytes were hashed and recorded, so they and no others are sent.
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(a.body))
	a.client.authorize(req)
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
func (a *attempt) receive(stream *openai.ChatCompletionStream, d *delivery) error {
	a.watched.waits = d.flush
	defer func() { a.watched.waits = nil }()
	for {
		data, err := stream.RecvRaw()
		if err == nil {
			err = a.read(data)
		} else if err != io.EOF {
			err = a.broken(err)
		}
		if !d.take(a.answer.Events()) {
			return errNoMore
		}
		a.watched.over = a.answer.Finish != "" || a.answer.Done || a.lines.Done
		if err == nil && d.bytes > LargestAnswer {
			err = a.client.lasting(Endless, a.model, nil)
		}
		if err != nil || a.answer.Done {
			return a.finish(err, d)
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
	e.Kind, e.Err = Broken, shy{err, a.client.redactor}
	return e
}

// finish ends an answer: what is held back comes out, and how it ended if that is no failure of the server's own. err
// is what ended it, nil or io.EOF if it ended in order. It returns the error that is left.
func (a *attempt) finish(err error, d *delivery) error {
	finished := Finished{Reason: a.answer.Finish, End: NoDone}
	if a.watched.over {
		finished.End = Done
	}
	if err == io.EOF {
		err = nil
		if !a.lines.Done && !a.answer.Began {
			err = a.nothing()
		}
	}
	if !d.take(a.answer.End()) || !d.release() {
		return errNoMore
	}
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	switch {
	case finished.End == Done && !stopped:
		err = nil
	case err == nil:
	case d.began && !stopped && goesOn(err):
		finished.End = CutOff
	default:
		return err
	}
	if extra := a.answer.Extra(); extra != nil {
		finished.Extra = json.RawMessage(a.client.redactor.Known(string(extra)))
	}
	if !d.yield(finished, nil) {
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

// goesOn says that an answer would have gone on where an error ended it: the server did not say that it failed.
func goesOn(err error) bool {
	var e *Error
	return !errors.As(err, &e) || e.Kind == Broken || e.Kind == TimedOut || e.Kind == Endless
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

	pieces  []byte // of one channel, not given yet
	channel wire.Channel
	streams []*redact.Stream // of each channel
}

// onChannel is the event of a piece of a channel.
func onChannel(channel wire.Channel, piece string) Event {
	switch channel {
	case wire.Reasoning:
		return ReasoningDelta{piece}
	case wire.Text:
		return TextDelta{piece}
	}
	return ToolDelta{Index: int(channel - wire.Calls), Arguments: piece}
}

// take hands on events. It is false when the reader is gone.
func (d *delivery) take(events []wire.Event) bool {
	known := d.client.redactor.Known
	for _, e := range events {
		if e.Usage != nil {
			if usage, ok := usageOf(decoded(e.Usage)); ok && d.flush() {
				d.hand(UsageReport{d.client.withCached(d.model, usage)})
			}
			continue
		}
		d.began = true
		d.bytes += len(e.ID) + len(e.Name) + len(e.Text)
		if e.ID+e.Name != "" || e.Text == "" {
			d.flush()
			d.hand(ToolDelta{Index: int(e.Channel - wire.Calls), ID: known(e.ID), Name: known(e.Name)})
		}
		if d.channel != e.Channel {
			d.flush()
			d.channel = e.Channel
		}
		d.pieces = append(d.pieces, e.Text...)
	}
	return !d.gone
}

// hand gives an event to the reader of the stream, unless that is gone.
func (d *delivery) hand(e Event) {
	d.gone = d.gone || !d.yield(e, nil)
}

// flush gives the pieces that were joined. It is false when the reader is gone.
func (d *delivery) flush() bool {
	if len(d.pieces) == 0 {
		return !d.gone
	}
	for int(d.channel) >= len(d.streams) {
		d.streams = append(d.streams, d.client.redactor.Stream())
	}
	piece := d.streams[d.channel].Pass(string(d.pieces))
	if d.pieces = d.pieces[:0]; piece != "" {
		d.hand(onChannel(d.channel, piece))
	}
	return !d.gone
}

// release gives what was held back because it might have been the beginning of a secret.
func (d *delivery) release() bool {
	d.flush()
	for channel, stream := range d.streams {
		if rest := stream.Rest(); rest != "" {
			d.hand(onChannel(wire.Channel(channel), rest))
		}
	}
	return !d.gone
}
