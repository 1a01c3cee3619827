// Package conversation holds what the formats share. Every import format reads into it: one conversation of messages
// with remarks about what is odd in its file. Those for reading name the speakers alike. It does not read files and
// does not store.
package conversation

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
)

// Conversation is one conversation of a file, or what is in its place: then it has no message, and its report says why.
// One without an Origin has no name in its file, and its messages follow one another.
type Conversation struct {
	store.ImportedConversation
	Report
}

// Message is one message of a conversation.
type Message = store.ImportedMessage

// New is a conversation without messages.
func New(source string) Conversation {
	return Conversation{
		ImportedConversation: store.ImportedConversation{Session: store.Session{Source: source}, Leaf: -1},
	}
}

// NewMessage is a message of the role that a program calls by a name, written at a time in Unix milliseconds, 0 for
// none.
func NewMessage(label, role, text string, at int64) Message {
	m := message.Message{Label: label, Role: message.Role(role), Content: text, Status: message.Imported, CreatedMS: at}
	switch strings.ToLower(strings.TrimSpace(role)) {
	case "system", "developer":
		m.Role = message.System
	case "user", "human":
		m.Role = message.User
	case "assistant", "orchestrator":
		m.Role = message.Assistant
	case "tool", "function":
		m.Role = message.Tool
	default:
		m.Status = message.Quarantined
	}
	return Message{Message: store.Message{Message: m}, After: -1}
}

// Imported is what became of one conversation of a file.
type Imported struct {
	Session store.Session // the zero value where nothing was imported
	Report

	Place int    // the conversation's place in the file, from 1
	Title string // its title there
	New   bool   // it is a session since this import
	Again bool   // the conversation was there already as Session, and nothing was stored
	Added int    // the messages that are new, of those of a session that was there too
}

// Report is what there is to say about a conversation of a file.
type Report struct {
	Warnings []Remark // what was imported, but is odd
	Errors   []Remark // what could not be imported
}

// Remark says something about a message of a file, or about a conversation.
type Remark struct {
	Message string // the message's id in the file, or its number from 1; "" where it is about no message
	Line    int    // the line of the file that it is about, from 1; 0 for none
	What    string
}

func (r Remark) String() string {
	switch {
	case r.Line > 0:
		return fmt.Sprintf("line %d: %s", r.Line, r.What)
	case r.Message != "":
		return fmt.Sprintf("message %s: %s", r.Message, r.What)
	}
	return r.What
}

// Warn remarks on what is odd about a message, or about the conversation where message is "".
func (r *Report) Warn(message, format string, args ...any) {
	r.Warnings = append(r.Warnings, Remark{Message: message, What: fmt.Sprintf(format, args...)})
}

// Lose remarks on what could not be imported.
func (r *Report) Lose(message, format string, args ...any) {
	r.Errors = append(r.Errors, Remark{Message: message, What: fmt.Sprintf(format, args...)})
}

// LoseLine remarks on a line of a file that could not be imported.
func (r *Report) LoseLine(line int, what string) {
	r.Errors = append(r.Errors, Remark{Line: line, What: what})
}

// Reader makes conversations of the values of a file and adds each. An error ends it: one of reading, or of add.
type Reader func(values iter.Seq2[Value, error], add func(Conversation) error) error

// Each reads a file of which every value is a conversation, as JSON of the type T. read fills in the conversation, or
// returns why a value is none. A member of a value whose JSON is not that of T is left out.
func Each[T any](source string, read func(c *Conversation, x T) error) Reader {
	return func(values iter.Seq2[Value, error], add func(Conversation) error) error {
		for v, err := range values {
			if err != nil {
				return err
			}
			c := New(source)
			if v.Broken != "" {
				c.LoseLine(v.Line, v.Broken)
			} else if err := readAs(&c, v.Raw, read); err != nil {
				c.LoseLine(v.Line, err.Error())
			}
			if err := add(c); err != nil {
				return err
			}
		}
		return nil
	}
}

func readAs[T any](c *Conversation, raw json.RawMessage, read func(c *Conversation, x T) error) error {
	var x T
	var wrong *json.UnmarshalTypeError
	err := json.Unmarshal(raw, &x)
	switch {
	case raw[0] != '{':
		return errors.New("is not an object")
	case errors.As(err, &wrong):
		c.Lose("", "%s holds a value that cannot be read (%s)", wrong.Field, wrong.Value)
	case err != nil:
		return err
	}
	return read(c, x)
}

// Whole reads a file that is one conversation, a value after the other. A value that is not JSON is noted.
func Whole(source string, read func(c *Conversation, values []Value)) Reader {
	return func(values iter.Seq2[Value, error], add func(Conversation) error) error {
		c := New(source)
		var all []Value
		for v, err := range values {
			switch {
			case err != nil:
				return err
			case v.Broken != "":
				c.LoseLine(v.Line, v.Broken)
			default:
				all = append(all, v)
			}
		}
		read(&c, all)
		return add(c)
	}
}

// WarnOfRole says what becomes of a message whose role no model knows.
func (c *Conversation) WarnOfRole(label string, m Message) {
	if m.Status == message.Quarantined {
		const what = "role is %q, which is not a known role; the message is kept and shown, but never sent"
		c.Warn(label, what, Shorten(string(m.Role)))
	}
}

// Append adds messages after the last one.
func (c *Conversation) Append(messages ...Message) {
	for _, m := range messages {
		m.After = len(c.Messages) - 1
		c.Messages = append(c.Messages, m)
	}
}

// NameByFirst names a conversation without an id in its file by the id of its first message.
func (c *Conversation) NameByFirst() {
	if c.Session.Origin == "" && len(c.Messages) > 0 {
		c.Session.Origin = "of message " + c.Messages[0].Label
	}
}

// Note is in the place of a file or an image that is not imported.
func Note(what string) message.Part {
	return message.Part{Kind: message.TextPart, Text: "[" + strings.Join(strings.Fields(what), " ") + ", not imported]"}
}

// Blank says that a message has no text, file or call.
func Blank(m Message) bool {
	return strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 && len(m.Parts) == 0
}

// Join joins texts with an empty line between any two of them that are not empty.
func Join(texts ...string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	return strings.Join(texts, "\n\n")
}

// Shorten is the beginning of a text for a sentence.
func Shorten(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return text
}
