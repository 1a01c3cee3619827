// Package prompt writes a conversation as one text for a model and reads such a text as far as it goes.
package prompt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/transfer/conversation"
)

// Reader reads the messages of a conversation that winnow wrote as one text. Such a text has no
// dates, describes tool calls in words, and may hold less than the conversation: what it does not hold cannot
// come back.
type Reader struct {
	in    *bufio.Reader
	line  int
	head  []string // of the message to read next, nil before the first
	at    int      // the line of its head
	over  bool
	begun bool
	index int
	about conversation.About
}

// The line with which such a text begins, and the one with which it ends.
const (
	intro    = "This is a conversation between a user and an AI assistant;"
	header   = "💬 CONVERSATION HISTORY"
	metadata = "📊 History metadata:"
)

var messageHead = regexp.MustCompile(`^\[(\d+|\+)\] (?:👤|🤖|💬) (System|User|Assistant|Tool)(?: \(\d\d:\d\d:\d\d\))?( \[TRUNCATED\])?:$`)

// Is reports whether a file that begins so is such a text.
func Is(beginning string) bool {
	beginning = strings.TrimPrefix(beginning, "\ufeff")
	return strings.HasPrefix(beginning, intro)
}

// NewReader returns a reader of a file. It reads nothing yet.
func NewReader(r io.Reader) *Reader { return &Reader{in: bufio.NewReader(r)} }

// About is what the text says of the conversation. It is whole when Next has returned io.EOF.
func (r *Reader) About() conversation.About { return r.about }

// Next returns the next message, and io.EOF after the last one.
func (r *Reader) Next() (conversation.Message, error) {
	if !r.begun {
		r.begun = true
		r.about.Remarks = append(r.about.Remarks, conversation.Remark{What: "the file is a conversation as one text: tool calls and files remain text in its messages"})
		if _, err := r.text(); err != nil {
			return conversation.Message{}, err
		}
	}
	for !r.over {
		head, at := r.head, r.at
		text, err := r.text()
		if err != nil {
			return conversation.Message{}, err
		}
		role := message.Role(strings.ToLower(head[2]))
		if head[1] != "+" {
			return r.message(role, text, head[3] != "", at), nil
		}
		if role == message.System && r.about.System == "" && r.index == 0 {
			r.about.System = text
			continue
		}
		r.about.Remarks = append(r.about.Remarks, conversation.Remark{What: fmt.Sprintf("line %d: winnow had added this text; it is not imported", at)})
	}
	return conversation.Message{}, io.EOF
}

func (r *Reader) message(role message.Role, text string, short bool, at int) conversation.Message {
	m := conversation.Message{
		Index: r.index, Line: at, Size: len(text),
		Message: store.Message{Message: message.Message{Role: role, Content: text, Status: message.Imported}},
	}
	r.index++
	if short {
		m.Remarks = append(m.Remarks, conversation.Remark{Field: "content", What: "was shortened before the file was written"})
	}
	return m
}

// text reads up to the next head, which it notes, or to the end.
func (r *Reader) text() (string, error) {
	var b strings.Builder
	for {
		line, err := r.in.ReadString('\n')
		r.line++
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("read the file: %w", err)
		}
		if head := messageHead.FindStringSubmatch(strings.TrimRight(line, "\r\n")); head != nil {
			r.head, r.at = head, r.line
			return strings.TrimRight(b.String(), "\n"), nil
		}
		if err != nil || strings.HasPrefix(line, metadata) {
			r.over = true
			return strings.TrimRight(b.String(), "\n"), nil
		}
		b.WriteString(strings.TrimPrefix(line, "    "))
	}
}
