package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// lineMax is the longest line of a stream, in bytes: far above what a server sends, far below
// what would hurt.
const lineMax = 64 << 20

var errLongLine = fmt.Errorf("a line of the stream is longer than %d MiB", lineMax>>20)

// sseEvent is one event of a stream of server-sent events. Data is valid until the next call.
type sseEvent struct {
	name  string // the event field, "" for none
	data  []byte // the data lines, joined by line feeds
	valid bool   // data was found to be JSON
	stray bool   // not an event of the format: a line that is bare JSON, or an error field
}

// sseReader reads server-sent events as the standard says: lines end in LF, CR or CRLF, a byte
// order mark at the start goes, comments and unknown fields are passed over, data lines of one
// event are joined. It goes beyond the standard where servers do: what the end of the stream
// leaves open is still an event, a data line that is complete by itself is an event at once, whether a
// blank line follows or not, and two kinds of line that old servers use for errors come out as stray
// events.
type sseReader struct {
	r       io.Reader
	buf     []byte
	from    int   // buf[from:to] is not read yet
	to      int   //
	err     error // what ended the reading
	skipLF  bool  // the last line ended in CR: an LF that follows belongs to it
	started bool  // the first line was looked at for a byte order mark
	data    []byte
	name    string
	open    bool // data holds at least one data line
	bytes   int  // how much was read
}

func newSSEReader(r io.Reader) *sseReader {
	return &sseReader{r: r, buf: make([]byte, 16<<10)}
}

// next gives the next event. At the end it gives io.EOF, or what broke the stream, after the
// event that this left open.
func (s *sseReader) next() (sseEvent, error) {
	s.data, s.name, s.open = s.data[:0], "", false
	for {
		line, err := s.line()
		if err != nil {
			if s.open {
				return sseEvent{name: s.name, data: s.data}, nil
			}
			return sseEvent{}, err
		}
		if len(line) == 0 {
			if s.open {
				return sseEvent{name: s.name, data: s.data}, nil
			}
			s.name = ""
			continue
		}
		held := len(s.data)
		if stray, ok := s.field(line); ok {
			return sseEvent{name: s.name, data: stray, stray: true}, nil
		}
		if whole, valid := s.complete(held); whole {
			return sseEvent{name: s.name, data: s.data, valid: valid}, nil
		}
	}
}

// complete says whether the data line behind the first held bytes is an event by itself: JSON that ends on
// the line. Text in front of it that begins no JSON was none and is dropped. The lines of an error may be
// several.
func (s *sseReader) complete(held int) (whole, valid bool) {
	line := bytes.TrimSpace(s.data[held:])
	if len(line) == 0 || s.name == "error" || held > 0 && (s.data[0] == '{' || s.data[0] == '[') {
		return false, false
	}
	if held > 0 && line[0] != '{' && line[0] != '[' {
		return false, false // Another line of a text.
	}
	valid = json.Valid(line)
	if whole = valid || string(line) == "[DONE]"; whole && held > 0 {
		s.data = append(s.data[:0], line...)
	}
	return whole, valid
}

// field takes one line that is not blank. It gives back what is not of the format.
func (s *sseReader) field(line []byte) (stray []byte, ok bool) {
	switch line[0] {
	case ':':
		return nil, false
	case '{':
		if !s.open {
			return line, true
		}
	}
	key, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(key) {
	case "data":
		if s.open {
			s.data = append(s.data, '\n')
		}
		s.data = append(s.data, value...)
		s.open = true
	case "event":
		s.name = string(value)
	case "error":
		if !s.open {
			s.name = "error"
			return value, true
		}
	}
	return nil, false
}

// line gives the next line without its end; valid until the next call.
func (s *sseReader) line() ([]byte, error) {
	scanned := 0
	for {
		if s.skipLF && s.from < s.to {
			if s.buf[s.from] == '\n' {
				s.from++
			}
			s.skipLF = false
		}
		if at := endOfLine(s.buf[s.from+scanned : s.to]); at >= 0 {
			at += s.from + scanned
			line := s.buf[s.from:at]
			s.skipLF = s.buf[at] == '\r'
			s.from = at + 1
			return s.first(line), nil
		}
		scanned = s.to - s.from
		if s.err != nil {
			if scanned > 0 {
				line := s.buf[s.from:s.to]
				s.from = s.to
				return s.first(line), nil
			}
			return nil, s.err
		}
		if err := s.fill(); err != nil {
			return nil, err
		}
	}
}

// endOfLine is where the first line end is, -1 for none.
func endOfLine(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// first takes the byte order mark off the stream's first line.
func (s *sseReader) first(line []byte) []byte {
	if s.started {
		return line
	}
	s.started = true
	return bytes.TrimPrefix(line, []byte("\ufeff"))
}

// fill reads more behind what is not read yet.
func (s *sseReader) fill() error {
	if s.from > 0 {
		copy(s.buf, s.buf[s.from:s.to])
		s.to -= s.from
		s.from = 0
	}
	if s.to == len(s.buf) {
		if len(s.buf) >= lineMax {
			return errLongLine
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.to:])
		s.to += n
		s.bytes += n
		s.err = err
		if n > 0 || err != nil {
			return nil
		}
	}
	return errors.New("the stream gives nothing and does not end")
}
