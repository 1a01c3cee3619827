package llm

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
	"unicode"

	"winnow/llm/sse"
)

// attempt is one request and its answer, and stands between the chat library and the network. On the way out
// it puts in the address and the bytes of the wire in place of what the library makes, which drops zeroes and
// empty texts. On the way back it reads the events of the stream, has them translated and hands the library one
// data line for each chunk, whatever lines the server uses. It does not look into a chunk. What is no stream at
// all becomes an *Error, which the library passes on as it is.
type attempt struct {
	client      *Client
	model       string
	address     string // the URL without a query
	body        []byte
	lined       bool // the answer has a JSON object on each line
	translation translation

	resp   *http.Response
	events *sse.Reader
	lines  bytes.Buffer // for the library, not read yet
	err    error        // what ended the answer
	done   bool         // [DONE] came

	ignored []byte // the newest event that carried nothing
}

// Do sends the request and looks at the first byte of the answer.
func (a *attempt) Do(req *http.Request) (*http.Response, error) {
	// The one swap: these bytes were hashed and recorded, so they and no others are sent.
	req.Body = io.NopCloser(bytes.NewReader(a.body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(a.body)), nil }
	req.ContentLength = int64(len(a.body))
	address, err := url.Parse(a.address)
	if err != nil {
		return nil, a.client.unreached(req.Context(), err, a.model)
	}
	req.URL, req.Host = address, address.Host
	a.client.authorize(req)
	resp, err := a.client.send(req)
	if err != nil {
		return nil, a.client.unreached(req.Context(), err, a.model)
	}
	a.resp = resp
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, a.client.failed(resp, a.model)
	}
	if err := a.open(); err != nil {
		resp.Body.Close()
		return nil, err
	}
	answer := *resp
	answer.Body = a
	return &answer, nil
}

// Read gives the library its lines.
func (a *attempt) Read(p []byte) (int, error) {
	for a.lines.Len() == 0 {
		if a.err != nil {
			return 0, a.err
		}
		a.advance()
	}
	return a.lines.Read(p)
}

const (
	drainTime = 100 * time.Millisecond
	drainMax  = 64 << 10
)

// Close ends the answer. What follows the last event, most often only the end of the body, is read for a
// moment: a connection is used again only where its answer was read to the end.
func (a *attempt) Close() error {
	if a.err == io.EOF {
		timer := time.AfterFunc(drainTime, func() { a.resp.Body.Close() })
		io.CopyN(io.Discard, a.resp.Body, drainMax)
		timer.Stop()
	}
	return a.resp.Body.Close()
}

const (
	// wholeMax is the longest answer in one piece, in bytes.
	wholeMax = 64 << 20

	// blankMax is how many blank characters may stand in front of an answer.
	blankMax = 1 << 20
)

// open looks at what the answer is, not at what its type says: some servers send streams as text/plain, and
// errors and whole answers as streams.
func (a *attempt) open() error {
	body := bufio.NewReader(a.resp.Body)
	switch first, err := firstByte(body); {
	case err == io.EOF:
		return a.strange(nil)
	case err != nil:
		return a.broken(err)
	case first == '<':
		page, _ := io.ReadAll(io.LimitReader(body, bodyMax))
		return a.strange(page)
	case first == '{' && !a.lined, first == '[':
		return a.inOnePiece(body)
	}
	a.events = sse.NewReader(body)
	return nil
}

// firstByte passes over a byte order mark and white space, and gives what stands behind without taking it.
func firstByte(r *bufio.Reader) (byte, error) {
	for range blankMax {
		c, _, err := r.ReadRune()
		if err != nil {
			return 0, err
		}
		if c != '\ufeff' && !unicode.IsSpace(c) {
			return byte(min(c, unicode.MaxASCII)), r.UnreadRune()
		}
	}
	return 0, io.EOF
}

// inOnePiece reads an answer that is a JSON value: an error, or an answer that the server did not stream. Old
// Ollama puts a bare error line before a stream, so the value is read, not the body.
func (a *attempt) inOnePiece(body io.Reader) error {
	var seen bytes.Buffer
	var value json.RawMessage
	var syntax *json.SyntaxError
	err := json.NewDecoder(io.TeeReader(io.LimitReader(body, wholeMax), &seen)).Decode(&value)
	switch {
	case errors.As(err, &syntax):
		return a.strange(seen.Bytes())
	case err != nil:
		return a.broken(err)
	}
	a.event(value)
	a.err = io.EOF
	return nil
}

// advance puts the line of the next event into lines, or sets err to what ended them.
func (a *attempt) advance() {
	event, err := a.events.Next()
	if err == io.EOF {
		a.err = err
		return
	}
	if err != nil {
		a.err = a.broken(err)
		return
	}
	data := bytes.TrimSpace(event.Data)
	switch {
	case len(data) == 0:
	case string(data) == "[DONE]":
		a.done = true
		a.line(data)
		a.err = io.EOF
	case event.Name == "error":
		a.err = a.refused(data)
	case event.JSON:
		a.event(data)
	case data[0] != '{':
		a.ignored = bytes.Clone(data) // ping and the like
	case event.Torn:
		a.err = a.broken(io.ErrUnexpectedEOF)
	default:
		e := a.strange(data)
		e.Message = "a part of the answer is not JSON: " + a.client.keep(data)
		a.err = e
	}
}

// event hands on what an event holds as chunks.
func (a *attempt) event(data []byte) {
	chunks, done := a.translation.Chunks(data)
	for _, chunk := range chunks {
		a.line(chunk)
	}
	if done {
		a.done, a.err = true, io.EOF
	}
}

// line hands one chunk on. It becomes one line, and does not begin with the text that the library takes for
// an error.
func (a *attempt) line(data []byte) {
	a.lines.WriteString("data: ")
	if rest, ok := bytes.CutPrefix(data, []byte(`{"error":`)); ok {
		a.lines.WriteString(`{ "error":`)
		data = rest
	}
	for line := range bytes.FieldsFuncSeq(data, func(r rune) bool { return r == '\n' || r == '\r' }) {
		a.lines.Write(line) // JSON has line ends between its values alone.
	}
	a.lines.WriteByte('\n')
}

// refused is the error that a server sent inside an answer.
func (a *attempt) refused(data []byte) *Error {
	return a.client.failure(http.StatusOK, a.resp.Header, data, a.model)
}

// strange is the error of an answer that is none.
func (a *attempt) strange(body []byte) *Error { return a.client.strange(a.resp, body, a.model) }

// broken is the error of a connection that ended in the middle of an answer.
func (a *attempt) broken(err error) error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	e := a.client.blank(a.model)
	if errors.Is(err, sse.ErrLongLine) {
		e.Kind, e.Message, e.final = BadStream, err.Error(), true
		return e
	}
	e.Kind, e.Err = Broken, shy{err, a.client.endpoint}
	return e
}
