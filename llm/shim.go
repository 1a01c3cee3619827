package llm

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

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

	ignored []byte // the newest event that carried nothing
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

const (
	drainTime = 100 * time.Millisecond
	drainMax  = 64 << 10
)

// Close ends the answer. What follows the last event, most often only the end of the body, is read for a
// moment: a connection is used again only where its answer was read to the end.
func (x *exchange) Close() error {
	if x.done {
		timer := time.AfterFunc(drainTime, func() { x.resp.Body.Close() })
		io.CopyN(io.Discard, x.resp.Body, drainMax)
		timer.Stop()
	}
	return x.resp.Body.Close()
}

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
		x.err = x.strange(x.ignored)
	case err == io.EOF:
		x.err = io.EOF
	default:
		x.err = x.broken(err)
	}
}

// data takes one event of the stream. What is neither JSON nor the beginning of it, such as ping, and JSON
// that is no object carry nothing: they are passed over.
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
	case event.name == "error":
		x.err = x.client.failure(http.StatusOK, x.resp.Header, data, x.model)
		return
	case event.valid || json.Valid(data):
		x.value(data)
		return
	case bytes.IndexByte(data, '\n') >= 0:
		// Some servers leave out the blank line between events.
		for line := range bytes.Lines(data) {
			x.queue = append(x.queue, bytes.Clone(bytes.TrimSpace(line)))
		}
		return
	case x.sse.err != nil && data[0] == '{':
		// The last line was cut in two.
		x.err = x.broken(io.ErrUnexpectedEOF)
		return
	case data[0] == '{':
		e := x.strange(data)
		e.Message = "a part of the answer is not JSON: " + x.client.keep(data)
		x.err = e
		return
	}
	x.ignored = bytes.Clone(data)
}

// value takes JSON. A list may hold an error, as Gemini's does.
func (x *exchange) value(data []byte) {
	switch data[0] {
	case '{':
		x.chunk(data)
	case '[':
		var list []map[string]json.RawMessage
		if json.Unmarshal(data, &list) == nil && len(list) > 0 && isError(list[0]) {
			x.err = x.client.failure(http.StatusOK, x.resp.Header, data, x.model)
			return
		}
		x.ignored = bytes.Clone(data)
	default:
		x.ignored = bytes.Clone(data)
	}
}

// chunk hands one JSON value on, or makes it the error that it is. An error that stands in a
// finish_reason is one that the server told nothing else about.
func (x *exchange) chunk(data []byte) {
	// What is read here is read again later, so a chunk is only looked into where it may be an error.
	if mayFail(data) {
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			x.err = x.strange(data)
			return
		}
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

// mayFail says that a chunk holds one of the words without which it is no error: see isError and
// failedChoice. Text that holds one only costs a second look.
func mayFail(data []byte) bool {
	for _, word := range []string{"error", `"detail"`, `"message"`} {
		if bytes.Contains(data, []byte(word)) {
			return true
		}
	}
	return !bytes.Contains(data, []byte(`"choices"`))
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
