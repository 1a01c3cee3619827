// Package conversation holds what the formats share. Every import format reads into it: one conversation of messages
// with remarks about what is odd in its file. Those for reading name the speakers alike. It does not read files and
// does not store.
package conversation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"winnow/history/message"
	"winnow/session/store"
	"winnow/session/title"
)

// Conversation is one conversation of a file that may hold many, or what is in its place.
type Conversation struct {
	store.Conversation
	Index   int      // its place among the conversations of the file, from 0
	Line    int      // of one that is Broken the line it begins in, from 1; 0 where the file has no lines
	Remarks []Remark // what is odd about it, and what of it could not be read
	Broken  *Remark  // why it is no conversation, and all else may be missing; a sentence about the file where Field is file; nil for one
}

// Message is one message of a file that holds one conversation, or what is in its place.
type Message struct {
	store.Message
	Index     int      // its place among the file's messages, from 0
	Line      int      // the line it begins in, from 1
	Size      int      // its bytes in the file
	NoContent bool     // the file gives it no content, not even an empty one
	BadTime   string   // what is wrong with the time that the file gives, "" where it gives none or a good one
	Remarks   []Remark // what is odd about it
	Broken    *Remark  // why it is no message and Message is empty; nil for a message
}

// About is what a file with one conversation says of it beside its messages. It is complete when the
// last message was read.
type About struct {
	Title   string
	Model   string
	System  string
	Unused  []string // keys that mean nothing here, in their order
	Remarks []Remark // what is odd about the file
}

// Remark says something about a message of a file, about a conversation or about the file.
type Remark struct {
	Index int    // the message's place in the file, from 0; -1 for the file, and where Label names the message
	Line  int    // the line it begins in, from 1; 0 for the file
	Label string // the message's id in a file of many conversations
	Field string // the message's key, "" for all of it
	What  string // from the verb on: is missing. About the file it is a sentence.
	Lost  bool   // what it is about was not imported
}

func (r Remark) String() string {
	switch {
	case r.Label != "":
		return words("message", r.Label+":", r.Field, r.What)
	case r.Index < 0:
		return r.What
	}
	return words(fmt.Sprintf("message %d (line %d):", r.Index+1, r.Line), r.Field, r.What)
}

// words joins what is not empty with one space between any two words.
func words(parts ...string) string {
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// otherRoles are the names that other programs have for the four roles.
var otherRoles = map[string]message.Role{
	"developer": message.System, "orchestrator": message.Assistant, "function": message.Tool,
}

// Role is the role that a program calls by a name, the name itself where nobody knows it.
func Role(name string) message.Role {
	if role, ok := otherRoles[name]; ok {
		return role
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

// UnknownRole says what becomes of a message whose role no model knows.
func UnknownRole(r message.Role) string {
	return fmt.Sprintf("is %q, which is not a known role; the message is kept and shown, but never sent", Shorten(string(r)))
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

// Speaker is who wrote a message, in the formats that are for reading.
func Speaker(m store.Message) string {
	switch m.Role {
	case message.User:
		return cmp.Or(title.OneLine(m.Name), "You")
	case message.Assistant:
		return cmp.Or(title.OneLine(m.Model), title.OneLine(m.Name), "Assistant")
	case message.Tool:
		return strings.TrimSpace("Tool " + title.OneLine(m.Name))
	case message.System:
		return "System"
	}
	return cmp.Or(title.OneLine(string(m.Role)), "Unknown")
}
