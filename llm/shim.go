package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// wholeMax is the longest answer in one piece, in bytes.
const wholeMax = 64 << 20

// exchange is one request and its answer, and stands between the chat library and the network.
// On the way out it puts in the bytes of Body in place of what the library encodes, which drops
// zeroes and empty texts. On the way back it reads the stream itself and hands the library only
// lines that it understands: one data line per chunk, [DONE] at the end. Whatever else a server
// sends becomes an *Error, which the library passes on as it is.
type exchange struct {
	client *Client
	model  string
	body   []byte

	resp  *http.Response
	sse   *sseReader
	out   bytes.Buffer // lines for the library that are not read yet
	queue [][]byte     // further chunks of the event in hand
	err   error        // what ended the answer
	whole []byte       // an answer in one piece, not handed on yet
	done  bool         // [DONE] came, or a finish_reason
	any   bool         // at least one chunk came
}

// Do sends the request and looks at the first bytes of the answer.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	req.Body = io.NopCloser(bytes.NewReader(x.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	req.ContentLength = int64(len(x.body))
	x.client.authorize(req)
	resp, err := x.client.send(req)
	if err != nil {
		return nil, x.client.unreached(req.Context(), err, x.model)
	}
	x.resp = resp
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, x.client.failed(resp, x.model)
	}
	if err := x.sniff(); err != nil {
		resp.Body.Close()
		return nil, err
	}
	answer := *resp
	answer.Body = x
	return &answer, nil
}

// sniff looks at what the answer is, not at what its type says: some servers send streams as
// text/plain, and errors and whole answers as streams.
func (x *exchange) sniff() error {
	head := make([]byte, 0, 512)
	for {
		start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
		if len(start) > 0 && !bytes.HasPrefix([]byte("\ufeff"), head) {
			break
		}
		if len(head) == cap(head) {
			break
		}
		n, err := x.resp.Body.Read(head[len(head):min(len(head)+64, cap(head))])
		head = head[:len(head)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return x.broken(err)
		}
	}
	rest := io.MultiReader(bytes.NewReader(head), x.resp.Body)
	start := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(start) == 0:
		return x.strange(nil)
	case start[0] == '<':
		page, _ := io.ReadAll(io.LimitReader(rest, bodyMax))
		return x.strange(page)
	case start[0] == '{', start[0] == '[':
		return x.inOnePiece(bytes.TrimPrefix(head, []byte("\ufeff")))
	}
	x.sse = newSSEReader(rest)
	return nil
}

// inOnePiece reads an answer that is a JSON value: an error, or an answer that the server did not
// stream. Old Ollama puts a bare error line before a stream, so the value is read, not the body.
func (x *exchange) inOnePiece(head []byte) error {
	var seen bytes.Buffer
	rest := io.TeeReader(io.LimitReader(io.MultiReader(bytes.NewReader(head), x.resp.Body), wholeMax), &seen)
	var value json.RawMessage
	if err := json.NewDecoder(rest).Decode(&value); err != nil {
		if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && x.readError(err) {
			return x.broken(err)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return x.broken(err)
		}
		return x.strange(seen.Bytes())
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(value, &object) != nil || isError(object) {
		return x.client.failure(http.StatusOK, x.resp.Header, value, x.model)
	}
	if _, ok := object["choices"]; !ok {
		return x.strange(value)
	}
	x.whole = value
	return nil
}

// readError says that err came from the connection and not from what was read.
func (x *exchange) readError(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return !errors.As(err, &syntax) && !errors.As(err, &kind)
}

// strange is the error of an answer with a good status that is none: a web page, nothing at all,
// or JSON of something else.
func (x *exchange) strange(body []byte) *Error {
	said := parseRefusal(body)
	e := x.client.failure(x.resp.StatusCode, x.resp.Header, body, x.model)
	e.Kind, e.Status, e.final, e.page = BadStream, x.resp.StatusCode, true, said.page
	e.Limit, e.Prompt, e.Output = 0, 0, 0
	if !said.page && e.Message == "" {
		e.Message = e.Body
		if len(bytes.TrimSpace(body)) == 0 {
			e.Message = "the answer is empty"
		}
	}
	return e
}

// broken is the error of a connection that ended in the middle of an answer.
func (x *exchange) broken(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := x.client.blank(x.model)
	e.Kind, e.Err = Broken, shy{err, x.client.endpoint}
	return e
}

// Read gives the library its lines.
func (x *exchange) Read(p []byte) (int, error) {
	for x.out.Len() == 0 {
		if x.err != nil {
			return 0, x.err
		}
		x.advance()
	}
	return x.out.Read(p)
}

// Close ends the answer.
func (x *exchange) Close() error { return x.resp.Body.Close() }

// advance puts the next chunk into out, or says in err why there is none.
func (x *exchange) advance() {
	if x.whole != nil {
		x.chunk(x.whole)
		x.whole = nil
		x.done = true
		return
	}
	if x.sse == nil {
		x.err = io.EOF
		return
	}
	if len(x.queue) > 0 {
		data := x.queue[0]
		x.queue = x.queue[1:]
		x.data(sseEvent{data: data})
		return
	}
	event, err := x.sse.next()
	switch {
	case err == nil:
		x.data(event)
	case err == io.EOF && !x.any && !x.done:
		x.err = x.strange(nil)
	case err == io.EOF:
		x.err = io.EOF
	default:
		x.err = x.broken(err)
	}
}

// data takes one event of the stream.
func (x *exchange) data(event sseEvent) {
	data := bytes.TrimSpace(event.data)
	switch {
	case len(data) == 0:
		return
	case string(data) == "[DONE]":
		x.done = true
		x.out.WriteString("data: [DONE]\n")
		x.err = io.EOF
		return
	case event.name == "error", event.stray && event.name == "error":
		x.err = x.client.failure(http.StatusOK, x.resp.Header, data, x.model)
		return
	case json.Valid(data):
		x.chunk(data)
		return
	case bytes.IndexByte(data, '\n') >= 0:
		// Some servers leave out the blank line between events.
		for line := range bytes.Lines(data) {
			x.queue = append(x.queue, bytes.Clone(bytes.TrimSpace(line)))
		}
		return
	case x.sse.err != nil:
		// The last line was cut in two.
		x.err = x.broken(io.ErrUnexpectedEOF)
		return
	}
	e := x.strange(data)
	e.Message = "a part of the answer is not JSON: " + x.client.keep(data)
	x.err = e
}

// chunk hands one JSON value on, or makes it the error that it is. An error that stands in a
// finish_reason is one that the server told nothing else about.
func (x *exchange) chunk(data []byte) {
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil {
		x.err = x.strange(data)
		return
	}
	if bytes.Contains(data, []byte("error")) || object["choices"] == nil {
		if isError(object) || failedChoice(object["choices"]) {
			x.err = x.client.failure(http.StatusOK, x.resp.Header, data, x.model)
			return
		}
	}
	x.any = true
	// The space keeps a chunk whose first key is a null error from looking like one to the library.
	x.out.WriteString("data: ")
	x.out.Write(flat(data))
	x.out.WriteByte('\n')
}

// failedChoice says that a choice ended in finish_reason error.
func failedChoice(raw json.RawMessage) bool {
	var choices []struct {
		FinishReason any             `json:"finish_reason"`
		Error        json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &choices) != nil || len(choices) == 0 {
		return false
	}
	return choices[0].FinishReason == "error" || len(choices[0].Error) > 0 && string(choices[0].Error) != "null"
}

// flat is a JSON object on one line that does not begin with the text the library takes for an
// error.
func flat(data []byte) []byte {
	if bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, '\r') >= 0 {
		var b bytes.Buffer
		if json.Compact(&b, data) == nil {
			data = b.Bytes()
		}
	}
	if bytes.HasPrefix(data, []byte(`{"error":`)) {
		return append([]byte("{ "), data[1:]...)
	}
	return data
}

// authorize sets the headers that let the request in.
func (c *Client) authorize(req *http.Request) {
	if key := c.endpoint.Key.Reveal(); key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for name, value := range c.endpoint.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("User-Agent", "winnow")
}

// send does a request. Its answer's body ends with an *Error when it is silent for too long, and
// at once when the request's context ends, whoever does the HTTP.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	e := c.blank("")
	e.Kind, e.Silence, e.final = TimedOut, c.begin(), true
	timer := time.AfterFunc(c.begin(), func() { cancel(e) })
	resp, err := c.doer.Do(req.WithContext(ctx))
	timer.Stop()
	if err != nil {
		if ctx.Err() != nil {
			err = endOf(ctx)
		}
		cancel(nil)
		return nil, err
	}
	body := &living{ctx: ctx, cancel: cancel, body: resp.Body, client: c, allowed: c.begin()}
	// A reader that waits in Read is woken by closing what it waits for.
	body.unwatch = context.AfterFunc(ctx, func() { body.body.Close() })
	resp.Body = body
	return resp, nil
}

// living is a body that dies of silence. Any byte is life, comments too.
type living struct {
	ctx     context.Context
	cancel  context.CancelCauseFunc
	unwatch func() bool
	body    io.ReadCloser
	client  *Client
	allowed time.Duration
}

func (l *living) Read(p []byte) (int, error) {
	allowed := l.allowed
	timer := time.AfterFunc(allowed, func() {
		e := l.client.blank("")
		e.Kind, e.Silence, e.final = TimedOut, allowed, true
		l.cancel(e)
	})
	n, err := l.body.Read(p)
	timer.Stop()
	if n > 0 {
		l.allowed = l.client.idle()
	}
	if err != nil && l.ctx.Err() != nil {
		err = endOf(l.ctx) // Closing what is read looks like its end, or like anything else.
	}
	return n, err
}

// endOf is why a context ended: our own error for silence, else the caller's wish.
func endOf(ctx context.Context) error {
	var silence *Error
	if errors.As(context.Cause(ctx), &silence) {
		return silence
	}
	return ctx.Err()
}

func (l *living) Close() error {
	l.unwatch()
	err := l.body.Close()
	l.cancel(nil)
	return err
}

// failed reads the answer to a request that a server turned down.
func (c *Client) failed(resp *http.Response, model string) *Error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, bodyMax+1<<10))
	e := c.failure(resp.StatusCode, resp.Header, body, model)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e.Kind, e.final, e.page = NotFound, true, false
		e.Message = strings.TrimSpace("it points to " + c.endpoint.redact(resp.Header.Get("Location")))
	}
	if err != nil && e.Message == "" {
		e.Err = shy{err, c.endpoint}
	}
	return e
}
