package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
)

const (
	lineMax = 16 << 20 // the maximum length of a line in bytes; a complete answer has to fit
	pageMax = 64 << 10 // how much is read of a web page without a title, in bytes
)

// ErrLineTooLong reports a line that exceeds the limit.
var ErrLineTooLong = fmt.Errorf(
	"a line of the stream is longer than %d MiB", lineMax>>20,
)

// SSEReader filters a response body for go-openai, which reads lines of "data: " and JSON, and loses whatever servers
// send besides. Reading from it yields one such line for each event, and nothing else.
//
// Server-sent events are parsed according to the standard: lines end in LF, CR or CRLF, comments and unknown fields are
// skipped, and the data lines of an event are joined. The reader is more lenient where servers are: an event that the
// end of the stream leaves open still counts, and a data line that is JSON by itself is an event at once, even without
// a blank line. The data of an event named "error", and the value of a field named "error", become {"error": data}.
//
// A line of bare JSON, such as Ollama's, is an event too. If it is only the beginning of JSON or of a web page, the
// rest of the body belongs to it.
type SSEReader struct {
	// Done is set after [DONE]. Nothing is read after it.
	Done bool

	in           *bufio.Scanner
	out          bytes.Buffer // not read yet
	err          error        // returned after out is empty
	afterCR      bool         // an LF that follows belongs to the last line end
	unterminated bool         // the last line had no line end
	ended        bool         // a blank line follows the last line and was received
}

// NewSSEReader returns a filter of a response body.
func NewSSEReader(body io.Reader) *SSEReader {
	l := &SSEReader{in: bufio.NewScanner(body)}
	l.in.Buffer(nil, lineMax)
	l.in.Split(l.split)
	return l
}

// Read reads the filtered lines. The error is io.ErrUnexpectedEOF if the body ends inside JSON.
func (l *SSEReader) Read(p []byte) (int, error) {
	for l.out.Len() == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.write(l.event())
	}
	return l.out.Read(p)
}

// split is a bufio.SplitFunc for lines. A line that ends in CR is returned before the next byte is known.
func (l *SSEReader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	from := 0
	if l.afterCR && len(data) > 0 && data[0] == '\n' {
		from = 1
	}
	at := from + bytes.IndexAny(data[from:], "\r\n")
	switch {
	case at >= from:
		l.afterCR = data[at] == '\r'
		l.ended = bytes.HasPrefix(data[at:], []byte("\n\n")) || bytes.HasPrefix(data[at:], []byte("\r\n\r\n"))
		return at + 1, data[from:at], nil
	case atEOF && len(data) > from:
		l.unterminated = true
		return len(data), data[from:], nil
	}
	return 0, nil, nil
}

// next scans a line. After the last one it sets err.
func (l *SSEReader) next() bool {
	if l.in.Scan() {
		return true
	}
	if l.err = cmp.Or(l.in.Err(), io.EOF); l.err == bufio.ErrTooLong {
		l.err = ErrLineTooLong
	}
	return false
}

// event reads the data of the next event, nil for none.
func (l *SSEReader) event() []byte {
	var name string
	var data []byte
	for l.next() {
		line := bytes.TrimPrefix(l.in.Bytes(), []byte("\ufeff"))
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch {
		case len(line) == 0 && data != nil:
			return named(name, data)
		case len(line) == 0:
			name = ""
		case string(field) == "data":
			if name != "error" && (l.ended && data == nil || isWhole(value)) && !begins(data, "{[") {
				return value
			}
			data = joined(data, value)
		case string(field) == "event":
			name = string(value)
		case string(field) == "error" && data == nil:
			return named("error", value)
		case begins(line, "{[<") && data == nil:
			return l.bare(line)
		}
	}
	return named(name, data)
}

// bare reads JSON that begins with a line, or a web page up to its title.
func (l *SSEReader) bare(line []byte) []byte {
	data, page := bytes.Clone(line), begins(line, "<")
	if json.Valid(data) {
		return data
	}
	enough := func() bool {
		return len(data) > lineMax || page && (len(data) > pageMax || bytes.Contains(data, []byte("</title>")))
	}
	for !enough() && l.next() {
		data = joined(data, l.in.Bytes())
	}
	l.err = cmp.Or(l.err, io.EOF)
	return data
}

// joined joins two lines with a space, which is equivalent to a line end in JSON.
func joined(data, line []byte) []byte {
	if data != nil {
		data = append(data, ' ')
	}
	return append(data, line...)
}

// isWhole reports whether a data line is an event by itself.
func isWhole(line []byte) bool { return string(line) == "[DONE]" || json.Valid(line) }

// begins reports whether the first non-blank character of a text is one of the given ones.
func begins(text []byte, with string) bool {
	text = bytes.TrimLeft(text, blanks)
	return len(text) > 0 && bytes.IndexByte([]byte(with), text[0]) >= 0
}

// named returns the data of an event with a name.
func named(name string, data []byte) []byte {
	if name != "error" || len(data) == 0 {
		return data
	}
	if !json.Valid(data) {
		data, _ = json.Marshal(string(data)) // A string always encodes.
	}
	return fmt.Appendf(nil, `{"error":%s}`, data)
}

// write writes the line of an event.
func (l *SSEReader) write(data []byte) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return
	case string(data) == "[DONE]":
		l.Done, l.err = true, io.EOF
	case l.unterminated && begins(data, "{[") && !json.Valid(data):
		l.err = io.ErrUnexpectedEOF
		return
	case bytes.HasPrefix(data, []byte(`{"error":`)):
		// go-openai would decode this as an error and lose unknown keys. The space prevents that.
		data = append([]byte("{ "), data[1:]...)
	}
	fmt.Fprintf(&l.out, "data: %s\n", data)
}
