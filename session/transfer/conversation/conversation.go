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

// Conversation is one conversation of a file, or what is in its place. One without an Origin has no name in its file,
// and its messages follow one another.
type Conversation struct {
	store.Conversation
	Line    int      // the line it begins in, from 1; 0 where the file has no lines
	Remarks []Remark // what is odd about it, and what of it could not be read
	Broken  string   // why it is no conversation: from the verb on, or where Line is 0 a sentence; "" for one
}

// New is a conversation without messages.
func New(source string) Conversation {
	return Conversation{Conversation: store.Conversation{Session: store.Session{Source: source}, Leaf: -1}}
}

// NewMessage is an imported message.
func NewMessage(label string, role message.Role, text string, at int64) store.ImportedMessage {
	m := message.Message{Label: label, Role: role, Content: text, Status: message.Imported, CreatedMS: at}
	if !KnownRole(role) {
		m.Status = message.Quarantined
	}
	return store.ImportedMessage{Message: store.Message{Message: m}, After: -1}
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
			if c.Line, c.Broken = v.Line, v.Broken; v.Broken == "" {
				if reason := readAs(&c, v.Raw, read); reason != nil {
					c.Broken = reason.Error()
				}
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
		return fmt.Errorf("is %s, not an object", Kind(raw))
	case errors.As(err, &wrong):
		c.Lose("", wrong.Field, "holds a value that cannot be read (%s)", wrong.Value)
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

// Remark says something about a message of a file, about a conversation or about the file.
type Remark struct {
	Index int    // the message's place in the file, from 0; -1 where it is about no message or Label names it
	Line  int    // the line it begins in, from 1; 0 for none
	Label string // the message's id in a file of many conversations
	Field string // the message's key, "" for all of it
	What  string // from the verb on: is missing. About the file it is a sentence.
	Lost  bool   // what it is about was not imported
}

func (r Remark) String() string {
	about := ""
	switch {
	case r.Label != "":
		about = "message " + r.Label + ":"
	case r.Index >= 0:
		about = fmt.Sprintf("message %d (line %d):", r.Index+1, r.Line)
	case r.Line > 0:
		about = fmt.Sprintf("line %d:", r.Line)
	}
	return strings.Join(strings.Fields(about+" "+r.Field+" "+r.What), " ")
}

// Role is the role that a program calls by a name, the name itself where it is unknown.
func Role(name string) message.Role {
	switch name {
	case "developer":
		return message.System
	case "orchestrator":
		return message.Assistant
	case "function":
		return message.Tool
	case "human":
		return message.User
	}
	return message.Role(name)
}

// KnownRole reports whether a model knows the role.
func KnownRole(r message.Role) bool {
	return slices.Contains([]message.Role{message.System, message.User, message.Assistant, message.Tool}, r)
}

// Odd remarks on what is odd about a message, or about the conversation where label is "".
func (c *Conversation) Odd(label, field, format string, args ...any) {
	c.Remarks = append(c.Remarks, Remark{Index: -1, Label: label, Field: field, What: fmt.Sprintf(format, args...)})
}

// Lose remarks on what could not be imported.
func (c *Conversation) Lose(label, field, format string, args ...any) {
	c.Odd(label, field, format, args...)
	c.Remarks[len(c.Remarks)-1].Lost = true
}

// LoseLine remarks on a line of a file that could not be imported.
func (c *Conversation) LoseLine(line int, what string) {
	c.Remarks = append(c.Remarks, Remark{Index: -1, Line: line, What: what, Lost: true})
}

// UnknownRole says what becomes of a message whose role no model knows.
func UnknownRole(r message.Role) string {
	const what = "is %q, which is not a known role; the message is kept and shown, but never sent"
	return fmt.Sprintf(what, Shorten(string(r)))
}

// Unused says what becomes of what no request can hold.
func Unused(what ...string) string {
	return fmt.Sprintf("contains data that winnow cannot send (%s); it is kept, but not used", strings.Join(what, ", "))
}

// Note is in the place of a file or an image that is not imported.
func Note(what string) message.Part {
	return message.Part{Kind: message.TextPart, Text: "[" + strings.Join(strings.Fields(what), " ") + ", not imported]"}
}

// Blank says that a message has no text, file or call.
func Blank(m message.Message) bool {
	return strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 && len(m.Parts) == 0
}

// Shorten is the beginning of a text for a sentence.
func Shorten(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return text
}
