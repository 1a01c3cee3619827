package llm

import (
	"errors"
	"io"
	"math"
	"strings"

	"winnow/history"
)

// Transcript reads a conversation from a file of Chat Completions messages, one at a time: a JSON
// list of them, an object with such a list under "messages", or JSONL with one a line. It holds no
// more of the file than one message. Nothing that a message says is changed or refused: what is
// damaged in it is mended when a request is planned.
type Transcript struct {
	scan   *scanner
	next   func() (Told, error) // what comes next in the form that the file has; nil before it is known
	about  About
	index  int // the next message's
	broken int // values in a row that were no message
}

// Told is one message of a transcript, or what stands in its place.
type Told struct {
	Index   int             // its place among the file's messages, from 0
	Line    int             // the line it begins in, from 1
	Size    int             // its bytes in the file
	Message history.Message // imported, or quarantined where its role is unknown; CreatedMS is 0 where the file has no time
	Extra   []byte          // what of it has no place in Message, in the shape of Finished.Extra; nil for nothing
	Bare    bool            // the file gives it no content, not even an empty one
	BadTime string          // what is wrong with the time that the file gives, "" where it gives none or a good one
	Remarks []Remark        // what is odd about it
	Broken  *Remark         // why it is no message and Message is empty; nil for a message
}

// Remark says something about a field of a message, or about all of it where Field is "".
type Remark struct {
	Field string
	What  string // from the verb on: is missing. About the file it is a sentence.
}

// About is what a file says of the conversation beside its messages. It is complete at the end of
// the transcript.
type About struct {
	Title   string
	Model   string
	System  string
	Unused  []string // keys that mean nothing here, in their order
	Remarks []Remark // what is odd about the file
}

// Errors that say why a file holds no transcript.
var (
	ErrNoTranscript = errors.New("this is no conversation: it holds neither a JSON list of messages nor one message a line")
	ErrNotUTF8      = errors.New("the file is written in UTF-16; save it as UTF-8")
)

// mostBroken is after how many values that are no messages, with no message among them, a file is
// taken for something else.
const mostBroken = 100

// ReadTranscript begins to read a file. It reads nothing yet.
func ReadTranscript(r io.Reader) *Transcript {
	return &Transcript{scan: newScanner(r)}
}

// Large lifts the limit on the size of a message, and returns the transcript.
func (t *Transcript) Large() *Transcript {
	t.scan.most = math.MaxInt
	return t
}

// About is what the file says of the conversation, as far as it is read.
func (t *Transcript) About() About { return t.about }

// Next returns the next message, or io.EOF behind the last one. What is no message comes with Broken
// set, and the others still follow. Any other error ends the transcript.
func (t *Transcript) Next() (Told, error) {
	if t.next == nil {
		if err := t.recognise(); err != nil {
			return Told{}, t.fault(err)
		}
	}
	told, err := t.next()
	if t.scan.err == ErrLargeImport {
		err = ErrLargeImport
	}
	if err != nil {
		return Told{}, t.fault(err)
	}
	told.Index = t.index
	t.index++
	if told.Broken == nil {
		t.broken = -1
	}
	if t.broken >= 0 {
		if t.broken++; t.broken >= mostBroken {
			return Told{}, ErrNoTranscript
		}
	}
	return told, nil
}

// fault is the error of the file where it could not be read, which goes before what that led to.
func (t *Transcript) fault(err error) error {
	if t.scan.err != nil && t.scan.err != io.EOF {
		return t.scan.err
	}
	return err
}

// recognise finds the form of the file by its beginning.
func (t *Transcript) recognise() error {
	mark, _ := t.scan.r.Peek(3)
	switch {
	case strings.HasPrefix(string(mark), "\xFF\xFE"), strings.HasPrefix(string(mark), "\xFE\xFF"):
		return ErrNotUTF8
	case string(mark) == "\xEF\xBB\xBF":
		t.scan.r.Discard(len(mark))
	}
	switch t.scan.peek() {
	case 0:
		if t.scan.err != nil {
			return io.EOF
		}
		return ErrNoTranscript
	case '[':
		t.scan.take()
		t.next = t.listed(t.behind)
	case '{':
		t.next = t.object()
	default:
		t.next = t.lined
	}
	return nil
}

// told reads what was found as a message.
func (t *Transcript) told(line int, raw []byte) Told {
	told := Told{Line: line, Size: len(raw)}
	m, err := readMessage(raw)
	if err != nil {
		told.Broken = &Remark{What: err.Error()}
		return told
	}
	told.Message, told.Extra, told.Remarks, told.BadTime, told.Bare = m.Message, m.extra.json(), m.remarks, m.badTime, m.bare
	return told
}

func (t *Transcript) remark(field, what string) {
	t.about.Remarks = append(t.about.Remarks, Remark{field, what})
}
