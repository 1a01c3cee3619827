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
	lineMax = 16 << 20 // the longest line of a stream in bytes: a whole answer has to fit
	pageMax = 64 << 10 // how much is read of a web page without a title, in bytes
)

// ErrLongLine says that a line is too long to be read.
var ErrLineTooLong = fmt.Errorf("a line of the stream is longer than %d MiB", lineMax>>20)

// Lines filters the body of an answer for go-openai, which reads a line "data: " and the data of an event, and loses
// what servers send beside that. What is read from it has one such line for each event, and nothing else.
//
// A stream of server-sent events is read as the standard says: lines end in LF, CR or CRLF, comments and unknown
// fields are passed over, data lines of one event are joined. It goes beyond the standard where servers do: what the
// end of the stream leaves open is still an event, and a data line that is JSON by itself is an event at once, whether
// a blank line follows or not. The data of an event that is named "error", and the value of a field of that name,
// become {"error": data}.
//
// A line of bare JSON is an event, too, such as one of Ollama's. If it is only the beginning of JSON, or of a web page,
// the rest of the body belongs to it.
type SSEReader struct {
	// Done says that [DONE] came. What follows it is not read.
	Done bool

	in           *bufio.Scanner
	out          bytes.Buffer // not read yet
	err          error        // what comes behind out
	afterCR      bool         // an LF that follows belongs to the line before
	unterminated bool         // the last line had no end
	ended        bool         // behind the last line is a blank one, which has been received
}

// NewLines makes a filter of the body of an answer.
func NewSSEReader(body io.Reader) *SSEReader {
	l := &SSEReader{in: bufio.NewScanner(body)}
	l.in.Buffer(nil, lineMax)
	l.in.Split(l.split)
	return l
}

// Read gives the lines. A body that ends inside JSON gives io.ErrUnexpectedEOF.
func (l *SSEReader) Read(p []byte) (int, error) {
	for l.out.Len() == 0 {
		if l.err != nil {
			return 0, l.err
		}
		l.write(l.event())
	}
	return l.out.Read(p)
}

// split finds the next line: see bufio.SplitFunc. A line that ends in CR is given before it is known what follows.
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

// next reads a line. Behind the last one err is set.
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

// bare is JSON, or the beginning of a web page up to its title, that begins with a line.
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

// joined is two lines as one: in JSON, a line end is as good as a blank.
func joined(data, line []byte) []byte {
	if data != nil {
		data = append(data, ' ')
	}
	return append(data, line...)
}

// isWhole says that a data line is an event by itself.
func isWhole(line []byte) bool { return string(line) == "[DONE]" || json.Valid(line) }

// begins says that a text begins with one of some characters, behind blanks.
func begins(text []byte, with string) bool {
	text = bytes.TrimLeft(text, blanks)
	return len(text) > 0 && bytes.IndexByte([]byte(with), text[0]) >= 0
}

// named is the data of an event with a name.
func named(name string, data []byte) []byte {
	if name != "error" || len(data) == 0 {
		return data
	}
	if !json.Valid(data) {
		data, _ = json.Marshal(string(data)) // A string always encodes.
	}
	return fmt.Appendf(nil, `{"error":%s}`, data)
}

// write gives the data of an event.
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
		// go-openai takes this for an error of which it knows the form, and loses all others. The blank hides it.
		data = append([]byte("{ "), data[1:]...)
	}
	fmt.Fprintf(&l.out, "data: %s\n", data)
}
