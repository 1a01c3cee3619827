// Package sse reads streams of server-sent events, as the standard says and as servers of language models
// send them. It does not know what the events mean.
package sse

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// lineMax is the longest line of a stream, in bytes: far above what a server sends, far below what would
// hurt.
const lineMax = 64 << 20

// ErrLongLine says that a line is too long to be read.
var ErrLongLine = fmt.Errorf("a line of the stream is longer than %d MiB", lineMax>>20)

// Event is one event.
type Event struct {
	Name string // the event field, "" for none
	Data []byte // the data lines, joined by line feeds; valid until the next event is read
	JSON bool   // Data is valid JSON
	Torn bool   // the stream ended inside the last line of Data
}

// Reader reads server-sent events as the standard says: lines end in LF, CR or CRLF, comments and unknown
// fields are passed over, data lines of one event are joined. It goes beyond the standard where servers do:
// what the end of the stream leaves open is still an event, a data line that is JSON by itself is an event at
// once, whether a blank line follows or not, and two kinds of line that old servers use for errors are events
// too: one of bare JSON, and one whose field is error.
type Reader struct {
	lines    *bufio.Scanner
	searched int  // the first bytes of the line at hand that hold no line end
	afterCR  bool // the last line ended in CR: an LF that follows belongs to it
	torn     bool // the last line had no end
	data     []byte
}

// NewReader makes a Reader. The stream must begin with its first line: a byte order mark is not expected.
func NewReader(r io.Reader) *Reader {
	s := &Reader{lines: bufio.NewScanner(r)}
	s.lines.Buffer(make([]byte, 16<<10), lineMax)
	s.lines.Split(s.split)
	return s
}

// Next gives the next event. At the end it gives io.EOF, or what broke the stream, after the event that this
// left open.
func (s *Reader) Next() (Event, error) {
	s.data = s.data[:0]
	name, open := "", false
	for s.lines.Scan() {
		line := s.lines.Bytes()
		if len(line) == 0 {
			if open {
				return s.event(name, s.data), nil
			}
			name = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch {
		case string(field) == "data":
			held := len(s.data)
			if open {
				s.data = append(s.data, '\n')
			}
			s.data, open = append(s.data, value...), true
			// The lines of an error may be several.
			if whole, valid := s.whole(held); whole && name != "error" {
				return Event{Name: name, Data: s.data, JSON: valid, Torn: s.torn}, nil
			}
		case string(field) == "event":
			name = string(value)
		case string(field) == "error" && !open:
			return s.event("error", value), nil
		case line[0] == '{' && !open:
			return s.event(name, line), nil
		}
	}
	switch err := s.lines.Err(); {
	case open:
		return s.event(name, s.data), nil
	case err == nil:
		return Event{}, io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return Event{}, ErrLongLine
	default:
		return Event{}, err
	}
}

func (s *Reader) event(name string, data []byte) Event {
	return Event{Name: name, Data: data, JSON: json.Valid(data), Torn: s.torn}
}

// whole reports whether the data line behind the first held bytes is an event by itself: JSON that ends on the
// line, or [DONE]. Text in front of it that begins no JSON was none and is dropped.
func (s *Reader) whole(held int) (whole, valid bool) {
	line := bytes.TrimSpace(s.data[held:])
	if len(line) == 0 || held > 0 && (beginsJSON(s.data) || !beginsJSON(line)) {
		return false, false
	}
	valid = json.Valid(line)
	if whole = valid || string(line) == "[DONE]"; whole && held > 0 {
		s.data = append(s.data[:0], line...)
	}
	return whole, valid
}

func beginsJSON(text []byte) bool { return text[0] == '{' || text[0] == '[' }

// split cuts the stream into lines, as bufio.SplitFunc wants it.
func (s *Reader) split(data []byte, atEOF bool) (advance int, line []byte, err error) {
	if s.afterCR && len(data) > 0 {
		s.afterCR = false
		if data[0] == '\n' {
			advance = 1
		}
	}
	rest := data[advance:]
	if end := bytes.IndexAny(rest[s.searched:], "\r\n"); end >= 0 {
		end += s.searched
		s.searched, s.afterCR = 0, rest[end] == '\r'
		return advance + end + 1, rest[:end], nil
	}
	if atEOF && len(rest) > 0 {
		s.torn, s.searched = true, 0
		return len(data), rest, nil
	}
	s.searched = len(rest)
	return advance, nil, nil
}
