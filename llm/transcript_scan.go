package llm

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
)

// scanner cuts JSON values and lines out of a stream without decoding them, so that a file of any
// size costs no more memory than its largest message. It trusts brackets and quotes alone: whether a
// value is JSON is found out when it is read, and a broken one costs no other.
type scanner struct {
	r    *bufio.Reader
	kept []byte // what was consumed since the last drop
	most int    // the most that it keeps
	line int    // the line of the next byte, from 1
	err  error  // what ended the stream; io.EOF at its end
}

// What is read from a file of another program, in bytes, unless the user asks for more: a conversation of a
// ChatGPT export or a message is held in memory at once, and takes several times its size there.
const (
	LargestImport = 1 << 30  // all that an import reads
	largestValue  = 64 << 20 // a conversation or a message
)

// ErrLargeImport says that a file was not read, or not to its end, for its size.
var ErrLargeImport = fmt.Errorf("it holds more than %d MiB, or a conversation or message of more than %d MiB", LargestImport>>20, largestValue>>20)

func newScanner(r io.Reader) *scanner {
	return &scanner{r: bufio.NewReaderSize(r, 1<<18), most: largestValue, line: 1}
}

// full ends the stream where more is kept than may be.
func (s *scanner) full() bool {
	if len(s.kept) > s.most {
		s.err = ErrLargeImport
	}
	return s.err == ErrLargeImport
}

// drop forgets what was consumed. What was handed out before is overwritten by what comes.
func (s *scanner) drop() { s.kept = s.kept[:0] }

// peek skips blanks and returns the next byte, 0 where the stream has ended.
func (s *scanner) peek() byte {
	for {
		c := s.take()
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case 0:
			if s.err != nil {
				return 0
			}
		}
		s.untake(c)
		return c
	}
}

// take consumes one byte, 0 at the end of the stream.
func (s *scanner) take() byte {
	if s.err != nil {
		return 0
	}
	c, err := s.r.ReadByte()
	if err != nil {
		s.err = err
		return 0
	}
	if c == '\n' {
		s.line++
	}
	s.kept = append(s.kept, c)
	if s.full() {
		return 0
	}
	return c
}

// untake gives the byte back that take has just returned.
func (s *scanner) untake(c byte) {
	s.r.UnreadByte() // never fails right after a ReadByte
	s.kept = s.kept[:len(s.kept)-1]
	if c == '\n' {
		s.line--
	}
}

// value consumes the value that begins with the next byte that is not blank, and returns its bytes.
// ok is false where the stream ends inside it.
func (s *scanner) value() (raw []byte, ok bool) {
	c := s.peek()
	from := len(s.kept)
	switch c {
	case '{', '[':
		s.take()
		ok = s.nested()
	case '"':
		s.take()
		ok = s.text()
	default:
		ok = s.err == nil
		s.word()
	}
	return s.kept[from:], ok
}

// nested consumes up to the bracket that closes the one just taken.
func (s *scanner) nested() bool {
	for depth := 1; depth > 0; {
		switch s.take() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if !s.text() {
				return false
			}
		case 0:
			if s.err != nil {
				return false
			}
		}
	}
	return true
}

// text consumes up to the quote that ends the string just begun.
func (s *scanner) text() bool {
	from := len(s.kept)
	for {
		piece, err := s.r.ReadSlice('"')
		s.kept = append(s.kept, piece...)
		s.line += bytes.Count(piece, []byte{'\n'})
		if s.full() {
			return false
		}
		if err != nil && err != bufio.ErrBufferFull {
			s.err = err
			return false
		}
		if err == nil && !escaped(s.kept[from:len(s.kept)-1]) {
			return true
		}
	}
}

// escaped says whether what follows text in a string is escaped: an odd number of backslashes ends it.
func escaped(text []byte) bool {
	return (len(text)-len(bytes.TrimRight(text, `\`)))%2 == 1
}

// word consumes a number, a literal or anything else that is no string or list: nothing in front of
// a bracket, a quote, a comma or a colon.
func (s *scanner) word() {
	for {
		c := s.take()
		switch c {
		case ' ', '\t', '\r', '\n', ',', ':', '[', ']', '{', '}', '"':
			s.untake(c)
			return
		case 0:
			if s.err != nil {
				return
			}
		}
	}
}

// nextLine consumes a line and returns it without its end; ok is false where there is none left.
func (s *scanner) nextLine() (raw []byte, ok bool) {
	from := len(s.kept)
	for s.err == nil {
		piece, err := s.r.ReadSlice('\n')
		s.kept = append(s.kept, piece...)
		if s.full() {
			break
		}
		if err == nil {
			s.line++
			return s.kept[from : len(s.kept)-1], true
		}
		if err != bufio.ErrBufferFull {
			s.err = err
		}
	}
	return s.kept[from:], len(s.kept) > from
}
