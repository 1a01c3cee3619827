// Package conversation defines the conversation that every import format reads into, with remarks about what is odd in
// its file, and helpers that the formats share. It does not read files or store anything.
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

// Conversation is one conversation of a file, or a part of the file that could not be read: it has no messages then,
// and Errors says why. A conversation without an Origin has no id in its file, and its messages form a single branch.
type Conversation struct {
	store.ImportedConversation
	Report
}

// Message is one message of a conversation.
type Message = store.ImportedMessage

// New returns a conversation without messages. source names the program that wrote it.
func New(source string) Conversation {
	return Conversation{
		ImportedConversation: store.ImportedConversation{Session: store.Session{Source: source}, Leaf: -1},
	}
}

// NewMessage returns a message with a role as another program names it. at is its time in Unix milliseconds, 0 for
// none. A message with an unknown role is quarantined: kept and shown, but never sent.
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

// Imported is the outcome of one conversation of a file.
type Imported struct {
	Session store.Session // the zero value if nothing was imported
	Report

	Place int    // position in the file, from 1
	Title string // the title in the file
	New   bool   // the import created the session
	Again bool   // the session existed, and nothing was stored
	Added int    // number of messages added
}

// Report collects remarks about a conversation of a file.
type Report struct {
	Warnings []Remark // about what was imported but is odd
	Errors   []Remark // about what could not be imported
}

// Remark is a sentence about a message or a conversation of a file.
type Remark struct {
	Message string // id in the file, or number from 1; "" for the whole conversation
	Line    int    // line of the file, from 1; 0 if unknown
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

// Warnf adds a warning about a message, or about the conversation if message is "".
func (r *Report) Warnf(message, format string, args ...any) {
	r.Warnings = append(r.Warnings, Remark{Message: message, What: fmt.Sprintf(format, args...)})
}

// Errorf adds an error: a message, or a part of it, could not be imported.
func (r *Report) Errorf(message, format string, args ...any) {
	r.Errors = append(r.Errors, Remark{Message: message, What: fmt.Sprintf(format, args...)})
}

// LineError adds an error about a line of the file.
func (r *Report) LineError(line int, what string) {
	r.Errors = append(r.Errors, Remark{Line: line, What: what})
}

// A Reader turns the values of a file into conversations and calls add for each. It returns the first error of values
// or of add.
type Reader func(values iter.Seq2[Value, error], add func(Conversation) error) error

// PerValue returns a Reader for files in which each value is a conversation, as JSON of type T. read fills in the
// conversation or returns why the value is not one. Fields of the wrong JSON type are reported and left empty.
func PerValue[T any](source string, read func(c *Conversation, x T) error) Reader {
	return func(values iter.Seq2[Value, error], add func(Conversation) error) error {
		for v, err := range values {
			if err != nil {
				return err
			}
			c := New(source)
			if v.Broken != "" {
				c.LineError(v.Line, v.Broken)
			} else if err := readAs(&c, v.Raw, read); err != nil {
				c.LineError(v.Line, err.Error())
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
		c.Errorf("", "%s holds a value that cannot be read (%s)", wrong.Field, wrong.Value)
	case err != nil:
		return err
	}
	return read(c, x)
}

// PerFile returns a Reader for files that are one conversation with one value after the other. Values that are not JSON
// are reported.
func PerFile(source string, read func(c *Conversation, values []Value)) Reader {
	return func(values iter.Seq2[Value, error], add func(Conversation) error) error {
		c := New(source)
		var all []Value
		for v, err := range values {
			switch {
			case err != nil:
				return err
			case v.Broken != "":
				c.LineError(v.Line, v.Broken)
			default:
				all = append(all, v)
			}
		}
		read(&c, all)
		return add(c)
	}
}

// WarnUnknownRole adds a warning if the role of m is unknown.
func (c *Conversation) WarnUnknownRole(label string, m Message) {
	if m.Status == message.Quarantined {
		const what = "role is %q, which is not a known role; the message is kept and shown, but never sent"
		c.Warnf(label, what, Shorten(string(m.Role)))
	}
}

// Append adds messages after the last one.
func (c *Conversation) Append(messages ...Message) {
	for _, m := range messages {
		m.After = len(c.Messages) - 1
		c.Messages = append(c.Messages, m)
	}
}

// SetDefaultOrigin identifies a conversation without an id in its file by the id of its first message.
func (c *Conversation) SetDefaultOrigin() {
	if c.Session.Origin == "" && len(c.Messages) > 0 {
		c.Session.Origin = "of message " + c.Messages[0].Label
	}
}

// NotImported returns a text part that stands for a file or an image that was not imported.
func NotImported(what string) message.Part {
	return message.Part{Kind: message.TextPart, Text: "[" + strings.Join(strings.Fields(what), " ") + ", not imported]"}
}

// IsBlank reports whether a message has no text, no parts and no tool calls.
func IsBlank(m Message) bool {
	return strings.TrimSpace(m.Content) == "" && len(m.ToolCalls) == 0 && len(m.Parts) == 0
}

// JoinParagraphs joins the texts that are not empty, with an empty line between them.
func JoinParagraphs(texts ...string) string {
	texts = slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	return strings.Join(texts, "\n\n")
}

// Shorten returns the beginning of a text, at most 40 characters, to be quoted in a sentence.
func Shorten(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return text
}
