// Package openai reads and writes a conversation as Chat Completions messages: a JSON list, an object
// that holds such a list, or JSONL. It does not send messages to a server and does not store them.
package openai

import (
	"errors"
	"io"
	"math"

	"winnow/session/store"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// Reader reads a conversation from a file of Chat Completions messages, one at a time: a JSON
// list of them, an object with such a list under "messages", or JSONL with one a line. It holds no
// more of the file than one message. Nothing that a message says is changed or refused: what is
// damaged in it is repaired when a request is planned.
type Reader struct {
	scan   *rawjson.Scanner
	next   func() (conversation.Message, error) // what comes next in the layout of the file; nil before it is known
	about  conversation.About
	index  int // the next message's
	broken int // values in a row that were no message
}

// Errors that say why a file holds no messages.
var (
	ErrNotMessages = errors.New("this is not a conversation: it has neither a JSON list of messages nor one message per line")
	ErrNotUTF8     = errors.New("the file is written in UTF-16; save it as UTF-8")
)

// maxBroken is after how many values that are no messages, with no message among them, a file is
// taken for something else.
const maxBroken = 100

// NewReader returns a reader of a file. Large lifts the limit on the size of a message. It reads nothing yet.
func NewReader(r io.Reader, large bool) *Reader {
	scan := rawjson.NewScanner(r)
	if large {
		scan.Max = math.MaxInt
	}
	return &Reader{scan: scan}
}

// About is what the file says of the conversation, as far as it is read.
func (t *Reader) About() conversation.About { return t.about }

// Next returns the next message, or io.EOF after the last one. What is no message comes with Broken
// set, and the others still follow. Any other error ends the file.
func (t *Reader) Next() (conversation.Message, error) {
	if t.next == nil {
		if err := t.recognise(); err != nil {
			return conversation.Message{}, t.fault(err)
		}
	}
	m, err := t.next()
	if t.scan.Err == rawjson.ErrTooLarge {
		err = rawjson.ErrTooLarge
	}
	if err != nil {
		return conversation.Message{}, t.fault(err)
	}
	m.Index = t.index
	t.index++
	if m.Broken == nil {
		t.broken = -1
	}
	if t.broken >= 0 {
		if t.broken++; t.broken >= maxBroken {
			return conversation.Message{}, ErrNotMessages
		}
	}
	return m, nil
}

// fault is the error of the file where it could not be read, which goes before what that led to.
func (t *Reader) fault(err error) error {
	if t.scan.Err != nil && t.scan.Err != io.EOF {
		return t.scan.Err
	}
	return err
}

// recognise finds the layout of the file by its beginning.
func (t *Reader) recognise() error {
	mark, _ := t.scan.Ahead(2)
	if string(mark) == "\xFF\xFE" || string(mark) == "\xFE\xFF" {
		return ErrNotUTF8
	}
	t.scan.SkipBOM()
	switch t.scan.Peek() {
	case 0:
		if t.scan.Err != nil {
			return io.EOF
		}
		return ErrNotMessages
	case '[':
		t.scan.Take()
		t.next = t.listed(t.checkEnd)
	case '{':
		t.next = t.object()
	default:
		t.next = t.lined
	}
	return nil
}

// message reads a value as a message.
func (t *Reader) message(line int, raw []byte) conversation.Message {
	m := conversation.Message{Line: line, Size: len(raw)}
	read, err := readMessage(raw)
	if err != nil {
		m.Broken = &conversation.Remark{What: err.Error()}
		return m
	}
	m.Message = store.Message{Message: read.Message, Extra: read.extra.json()}
	m.Remarks, m.BadTime, m.NoContent = read.remarks, read.badTime, read.noContent
	return m
}

func (t *Reader) remark(field, what string) {
	t.about.Remarks = append(t.about.Remarks, conversation.Remark{Field: field, What: what})
}
