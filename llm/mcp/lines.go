package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// errEndless ends the connection of a server whose line does not end.
var errEndless = fmt.Errorf("it sent a line of more than %d MB", mostLine>>20)

// line is one line of a stream, without its end.
type line struct {
	text []byte          // valid until the next line is read
	long bool            // it is too long, and its text is thrown away
	size int             // bytes
	id   json.RawMessage // of a line that was too long: the id of the JSON-RPC message in it, nil for none
}

// lineReader reads lines of any length in bounded memory: a line that is too long is read to its end and thrown
// away, but for the id of the message in it.
type lineReader struct {
	in    *bufio.Reader
	limit int
	held  []byte
}

func newLineReader(in io.Reader, limit int) *lineReader {
	return &lineReader{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// next gives the next line. At the end it gives the reader's error, after what stands behind the last line end.
func (r *lineReader) next() (line, error) {
	r.held = r.held[:0]
	var long *idScanner
	size := 0
	for {
		piece, err := r.in.ReadSlice('\n')
		size += len(piece)
		if size > mostLine {
			return line{}, errEndless
		}
		if long == nil && size > r.limit {
			long = &idScanner{}
			long.scan(r.held)
			r.held = nil // The memory of a long line is not kept.
		}
		if long != nil {
			long.scan(piece)
		} else {
			r.held = append(r.held, piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && size == 0:
			return line{}, err
		case long != nil:
			return line{long: true, size: size, id: long.id()}, nil
		default:
			return line{text: bytes.TrimRight(r.held, "\r\n"), size: size}, nil
		}
	}
}

// idScanner finds the value of the key "id" of a JSON object that comes in pieces and is too large to be kept.
// The id may stand in front of the result or behind it.
type idScanner struct {
	depth   int
	str     bool // inside a string
	escape  bool // behind a backslash in a string
	isValue bool // behind the colon of a key of the object itself
	token   []byte
	key     string
	found   []byte
}

// longestID is more than the id of a request of winnow's has.
const longestID = 64

// scan reads on.
func (s *idScanner) scan(piece []byte) {
	for _, c := range piece {
		if s.str {
			s.inString(c)
			continue
		}
		switch c {
		case '"':
			s.str = true
			s.keep(c)
		case '{', '[':
			s.depth++
			s.token = s.token[:0]
		case '}', ']':
			s.end()
			s.depth--
		case ',':
			s.end()
		case ':':
			if s.depth == 1 {
				s.key, s.isValue = string(s.token), true
				s.token = s.token[:0]
			}
		case ' ', '\t', '\r', '\n':
		default:
			s.keep(c)
		}
	}
}

func (s *idScanner) inString(c byte) {
	s.keep(c)
	switch {
	case s.escape:
		s.escape = false
	case c == '\\':
		s.escape = true
	case c == '"':
		s.str = false
	}
}

// keep adds a byte to the key or value at hand. What is longer than an id is none.
func (s *idScanner) keep(c byte) {
	if s.depth == 1 && len(s.token) <= longestID {
		s.token = append(s.token, c)
	}
}

// end ends a value.
func (s *idScanner) end() {
	if s.depth == 1 && s.isValue && s.key == `"id"` && len(s.token) <= longestID {
		s.found = bytes.Clone(s.token)
	}
	if s.depth == 1 {
		s.isValue = false
		s.token = s.token[:0]
	}
}

// id is the id that was found, nil for none.
func (s *idScanner) id() json.RawMessage {
	if len(s.found) == 0 || !json.Valid(s.found) {
		return nil
	}
	return s.found
}
