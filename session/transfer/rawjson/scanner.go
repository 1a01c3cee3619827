// Package rawjson cuts JSON into its values without changing a byte of them: values and lines out of a
// stream, members and items out of a value. A string keeps bytes that are not UTF-8. It does not decode
// into Go values; encoding/json does that.
package rawjson

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
)

// Scanner cuts JSON values and lines out of a stream without decoding them, so that a file of any
// size costs no more memory than its largest message. It trusts brackets and quotes alone: whether a
// value is JSON is found out when it is read, and a broken one costs no other.
type Scanner struct {
	Max  int   // the most that it keeps, in bytes
	Line int   // the line of the next byte, from 1
	Err  error // what ended the stream; io.EOF at its end

	r    *bufio.Reader
	kept []byte // what was consumed since the last Drop
}

// What is read from a file of another program, in bytes, unless the user asks for more: a conversation of a
// ChatGPT export or a message is held in memory at once, and takes several times its size there.
const (
	Largest      = 1 << 30  // all that an import reads
	LargestValue = 64 << 20 // a conversation or a message
)

// ErrTooLarge says that a file was not read, or not to its end, for its size.
var ErrTooLarge = fmt.Errorf("it is larger than %d MiB, or has a conversation or message larger than %d MiB", Largest>>20, LargestValue>>20)

// NewScanner returns a scanner of a stream whose values have at most LargestValue bytes. It reads nothing yet.
func NewScanner(r io.Reader) *Scanner {
	return &Scanner{r: bufio.NewReaderSize(r, 1<<18), Max: LargestValue, Line: 1}
}

// full ends the stream where more is kept than may be.
func (s *Scanner) full() bool {
	if len(s.kept) > s.Max {
		s.Err = ErrTooLarge
	}
	return s.Err == ErrTooLarge
}

// Ahead returns the next bytes of the stream, at most n, without consuming them.
func (s *Scanner) Ahead(n int) ([]byte, error) { return s.r.Peek(n) }

// SkipBOM consumes the byte order mark of UTF-8 where the stream begins with one.
func (s *Scanner) SkipBOM() {
	if mark, _ := s.r.Peek(3); string(mark) == "\xEF\xBB\xBF" {
		s.r.Discard(len(mark)) // they were read already
	}
}

// Kept returns what was consumed since the last Drop.
func (s *Scanner) Kept() []byte { return s.kept }

// Ended reports whether nothing but blanks is left of the stream.
func (s *Scanner) Ended() bool { return s.Peek() == 0 && s.Err != nil }

// Again returns a scanner that begins with what this one kept, which begins in the given line.
func (s *Scanner) Again(line int) *Scanner {
	rest := s.r
	if s.Err != nil {
		rest.Reset(&failing{s.Err})
	}
	again := NewScanner(io.MultiReader(bytes.NewReader(slices.Clone(s.kept)), rest))
	again.Max, again.Line = s.Max, line
	return again
}

// failing is a reader that has ended.
type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

// Drop forgets what was consumed. What was handed out before is overwritten by what comes.
func (s *Scanner) Drop() { s.kept = s.kept[:0] }

// Peek skips blanks and returns the next byte, 0 where the stream has ended.
func (s *Scanner) Peek() byte {
	for {
		c := s.Take()
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		case 0:
			if s.Err != nil {
				return 0
			}
		}
		s.untake(c)
		return c
	}
}

// Take consumes one byte, 0 at the end of the stream.
func (s *Scanner) Take() byte {
	if s.Err != nil {
		return 0
	}
	c, err := s.r.ReadByte()
	if err != nil {
		s.Err = err
		return 0
	}
	if c == '\n' {
		s.Line++
	}
	s.kept = append(s.kept, c)
	if s.full() {
		return 0
	}
	return c
}

// untake gives the byte back that Take has just returned.
func (s *Scanner) untake(c byte) {
	s.r.UnreadByte() // never fails right after a ReadByte
	s.kept = s.kept[:len(s.kept)-1]
	if c == '\n' {
		s.Line--
	}
}

// Value consumes the value that begins with the next byte that is not blank, and returns its bytes.
// ok is false where the stream ends inside it.
func (s *Scanner) Value() (raw []byte, ok bool) {
	c := s.Peek()
	from := len(s.kept)
	switch c {
	case '{', '[':
		s.Take()
		ok = s.nested()
	case '"':
		s.Take()
		ok = s.text()
	default:
		ok = s.Err == nil
		s.word()
	}
	return s.kept[from:], ok
}

// nested consumes up to the bracket that closes the one just taken.
func (s *Scanner) nested() bool {
	for depth := 1; depth > 0; {
		switch s.Take() {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			if !s.text() {
				return false
			}
		case 0:
			if s.Err != nil {
				return false
			}
		}
	}
	return true
}

// text consumes up to the quote that ends the string just begun.
func (s *Scanner) text() bool {
	from := len(s.kept)
	for {
		piece, err := s.r.ReadSlice('"')
		s.kept = append(s.kept, piece...)
		s.Line += bytes.Count(piece, []byte{'\n'})
		if s.full() {
			return false
		}
		if err != nil && err != bufio.ErrBufferFull {
			s.Err = err
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
func (s *Scanner) word() {
	for {
		c := s.Take()
		switch c {
		case ' ', '\t', '\r', '\n', ',', ':', '[', ']', '{', '}', '"':
			s.untake(c)
			return
		case 0:
			if s.Err != nil {
				return
			}
		}
	}
}

// NextLine consumes a line and returns it without its end; ok is false where there is none left.
func (s *Scanner) NextLine() (raw []byte, ok bool) {
	from := len(s.kept)
	for s.Err == nil {
		piece, err := s.r.ReadSlice('\n')
		s.kept = append(s.kept, piece...)
		if s.full() {
			break
		}
		if err == nil {
			s.Line++
			return s.kept[from : len(s.kept)-1], true
		}
		if err != bufio.ErrBufferFull {
			s.Err = err
		}
	}
	return s.kept[from:], len(s.kept) > from
}
