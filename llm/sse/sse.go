// Package sse makes one kind of stream of all that servers of language models send, so that a plain reader of
// server-sent events can take it. It does not know what the events mean.
package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode"
)

const (
	// lineMax is the longest line or JSON value of a stream, in bytes: far above what a server sends, far below
	// what would hurt.
	lineMax = 64 << 20

	// blankMax is how many blank characters may precede an answer.
	blankMax = 1 << 20

	// pageMax is how much is read of a web page, in bytes.
	pageMax = 64 << 10
)

// ErrLongLine says that a line is too long to be read.
var ErrLongLine = fmt.Errorf("a line of the stream is longer than %d MiB", lineMax>>20)

// Reader filters the body of an answer. What is read from it has one line for each event, "data: " and the event's
// data, and nothing else.
//
// A stream of server-sent events is read as the standard says: lines end in LF, CR or CRLF, comments and unknown
// fields are passed over, data lines of one event are joined. It goes beyond the standard where servers do: what
// the end of the stream leaves open is still an event, and a data line that is JSON by itself is an event at once,
// whether a blank line follows or not. A line of bare JSON is an event, too. The data of an event that is named
// "error", and the value of a field of that name, become {"error": data}.
//
// A body that begins with a JSON value is a sequence of such values, and each one is an event: a whole answer,
// an error, or Ollama's lines. A web page is one event.
//
// The library that reads the lines takes `{"error":` at the beginning of a line for an error of which it knows
// the form, and loses the others. Such an object is given with a blank behind its brace.
type Reader struct {
	in      *bufio.Reader
	limit   io.LimitedReader // of one JSON value
	values  *json.Decoder
	advance func() // puts the next event into lines, or sets err
	lines   bytes.Buffer
	err     error // what comes behind lines
	torn    bool  // the last line had no end

	// Done says that [DONE] came. What follows it is not read.
	Done bool
}

// NewReader makes a Reader of the body of an answer.
func NewReader(body io.Reader) *Reader {
	r := &Reader{in: bufio.NewReader(&lineEnds{in: body})}
	r.advance = r.begin
	return r
}

// Read gives the lines. An error that ends inside JSON is io.ErrUnexpectedEOF.
func (r *Reader) Read(p []byte) (int, error) {
	for r.lines.Len() == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.advance()
	}
	return r.lines.Read(p)
}

// begin finds out what the body is. The type that its header names is no help: some servers send streams as
// text/plain, and errors and whole answers as streams.
func (r *Reader) begin() {
	r.advance = r.event
	switch r.first() {
	case '<':
		page, _ := io.ReadAll(io.LimitReader(r.in, pageMax))
		r.write(page)
		r.err = io.EOF
	case '{', '[':
		r.limit.R = r.in
		r.values = json.NewDecoder(&r.limit)
		r.advance = r.value
	}
}

// first passes over a byte order mark and white space, and gives the character behind them without taking it. It
// is 0 where none comes.
func (r *Reader) first() rune {
	for range blankMax {
		c, _, err := r.in.ReadRune()
		if err != nil {
			r.err = err
			return 0
		}
		if c != '\ufeff' && !unicode.IsSpace(c) {
			_ = r.in.UnreadRune() // It follows a ReadRune.
			return c
		}
	}
	r.err = io.EOF
	return 0
}

// value reads the next JSON value. What is none is read as a stream of events.
func (r *Reader) value() {
	var value json.RawMessage
	var syntax *json.SyntaxError
	r.limit.N = lineMax
	switch err := r.values.Decode(&value); {
	case errors.As(err, &syntax):
		r.in = bufio.NewReader(io.MultiReader(r.values.Buffered(), r.in))
		r.advance = r.event
	case err != nil:
		r.err = err
	default:
		r.write(value)
	}
}

// event reads the next server-sent event.
func (r *Reader) event() {
	var name string
	var data []byte
	for r.err == nil {
		line := r.line()
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch {
		case len(line) == 0 && data != nil:
			r.named(name, data)
			return
		case len(line) == 0:
			name = ""
		case string(field) == "data":
			// The lines of an error may be several.
			if name != "error" && isWhole(value) && !beginsJSON(data) {
				r.write(value)
				return
			}
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		case string(field) == "event":
			name = string(value)
		case string(field) == "error" && data == nil:
			r.named("error", value)
			return
		case beginsJSON(line) && data == nil:
			r.write(line)
			return
		}
	}
	r.named(name, data)
}

// line reads the next line, without its end. It is valid until the next one is read.
func (r *Reader) line() []byte {
	line, err := r.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		line = bytes.Clone(line)
	}
	for err == bufio.ErrBufferFull && len(line) < lineMax {
		var more []byte
		more, err = r.in.ReadSlice('\n')
		line = append(line, more...)
	}
	if err == bufio.ErrBufferFull {
		err = ErrLongLine
	}
	r.err, r.torn = err, err != nil && len(line) > 0
	return bytes.TrimSuffix(line, []byte{'\n'})
}

// isWhole says that a data line is an event by itself.
func isWhole(line []byte) bool {
	line = bytes.TrimSpace(line)
	return string(line) == "[DONE]" || json.Valid(line)
}

func beginsJSON(text []byte) bool { return len(text) > 0 && (text[0] == '{' || text[0] == '[') }

// named gives the data of an event with a name.
func (r *Reader) named(name string, data []byte) {
	if name == "error" && len(bytes.TrimSpace(data)) > 0 {
		if !json.Valid(data) {
			data, _ = json.Marshal(string(data)) // A string always encodes.
		}
		data = fmt.Appendf(nil, `{"error":%s}`, data)
	}
	r.write(data)
}

// write gives the data of an event.
func (r *Reader) write(data []byte) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return
	case string(data) == "[DONE]":
		r.Done, r.err = true, io.EOF
	case r.torn && beginsJSON(data) && !json.Valid(data):
		r.err = io.ErrUnexpectedEOF
		return
	}
	r.lines.WriteString("data: ")
	if rest, found := bytes.CutPrefix(data, []byte(`{"error":`)); found {
		r.lines.WriteString(`{ "error":`)
		data = rest
	}
	// JSON has line ends between its values alone.
	r.lines.Write(bytes.ReplaceAll(data, []byte{'\n'}, []byte{' '}))
	r.lines.WriteByte('\n')
}

// lineEnds reads with LF in place of CR and CRLF.
type lineEnds struct {
	in      io.Reader
	afterCR bool // an LF that follows belongs to the CR
}

func (l *lineEnds) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	kept := p[:0]
	for _, b := range p[:n] {
		afterCR := l.afterCR
		l.afterCR = b == '\r'
		switch {
		case l.afterCR:
			kept = append(kept, '\n')
		case b != '\n' || !afterCR:
			kept = append(kept, b)
		}
	}
	return len(kept), err
}
