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
