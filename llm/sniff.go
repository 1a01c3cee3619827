package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// wholeMax is the longest answer in one piece, in bytes.
const wholeMax = 64 << 20

// blankMax is how many blank bytes may stand in front of an answer.
const blankMax = 1 << 20

var byteOrderMark = []byte("\ufeff")

// sniff looks at what the answer is, not at what its type says: some servers send streams as
// text/plain, and errors and whole answers as streams.
func (x *exchange) sniff() error {
	var head, start []byte
	buf := make([]byte, 64)
	for blank := 0; len(start) == 0 && blank < blankMax; {
		n, err := x.resp.Body.Read(buf)
		head = append(head, buf[:n]...)
		if start = bytes.TrimLeft(bytes.TrimPrefix(head, byteOrderMark), " \t\r\n"); bytes.HasPrefix(byteOrderMark, head) {
			start = nil // A part of the mark.
		}
		if len(start) == 0 && len(head) >= len(byteOrderMark) {
			blank += len(head)
			head = head[:0]
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return x.broken(err)
		}
	}
	head = start
	rest := io.MultiReader(bytes.NewReader(head), x.resp.Body)
	switch {
	case len(start) == 0:
		return x.strange(nil)
	case start[0] == '<':
		page, _ := io.ReadAll(io.LimitReader(rest, bodyMax))
		return x.strange(page)
	case start[0] == '{', start[0] == '[':
		return x.inOnePiece(head)
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
	if errors.Is(err, errLongLine) {
		e.Kind, e.Message, e.final = BadStream, err.Error(), true
		return e
	}
	e.Kind, e.Err = Broken, shy{err, x.client.endpoint}
	return e
}
