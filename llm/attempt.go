package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"

	"winnow/llm/sse"
)

// attempt is one request and its answer, and does the HTTP of the chat library. On the way out it puts in the
// address and the bytes of the wire in place of what the library makes, which drops zeroes and empty texts. On the
// way back it filters the lines of the stream, so that the library can read what any server sends. A refusal
// becomes an *Error, which the library passes on as it is.
type attempt struct {
	client  *Client
	model   string
	address string // the URL without a query
	body    []byte
	reader  answerReader

	resp    *http.Response
	events  *sse.Reader // of the body of resp
	ignored []byte      // the newest event that was no part of an answer
}

// Do sends the request.
func (a *attempt) Do(req *http.Request) (*http.Response, error) {
	// These bytes were hashed and recorded, so they and no others are sent.
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
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		defer resp.Body.Close()
		return nil, a.client.failed(resp, a.model)
	}
	a.resp, a.events = resp, sse.NewReader(resp.Body)
	answer := *resp
	answer.Body = struct {
		io.Reader
		io.Closer
	}{a.events, resp.Body}
	return &answer, nil
}

// read adds the data of one event to an answer. It gives the server's error where that is what the data holds.
func (a *attempt) read(data []byte, answer *answer) error {
	var event fields
	err := json.Unmarshal(data, &event)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax) && data[0] == '{':
		e := a.strange(data)
		e.Message = "a part of the answer is not JSON: " + a.client.keep(data)
		return e
	case event.isError(), event == nil && isErrorList(data):
		return a.refused(data)
	case event != nil:
		if reason, failed := a.reader.read(answer, event); failed && reason != nil {
			return a.refused(reason)
		} else if failed {
			return a.refused(data)
		}
	}
	if !answer.began {
		a.ignored = data // ping and the like
	}
	return nil
}

// isErrorList says that data is a list of errors, as Gemini sends them.
func isErrorList(data []byte) bool {
	var list []fields
	return json.Unmarshal(data, &list) == nil && len(list) > 0 && list[0].isError()
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
