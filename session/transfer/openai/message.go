package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
	"winnow/session/transfer/rawjson"
)

// messageReader is one message while it is read.
type messageReader struct {
	message.Message
	extra     rawExtra
	noContent bool   // it has no content: neither an empty one nor null
	badTime   string // what is wrong with the time that it gives, "" where it gives none
	remarks   []conversation.Remark
}

// fieldReaders say what the known keys of a message mean. What a reader cannot take goes to the
// message's extra with a remark, so that no byte of a message is lost.
var fieldReaders = map[string]func(*messageReader, []byte){
	"role":              (*messageReader).role,
	"content":           (*messageReader).content,
	"attachments":       (*messageReader).attachments,
	"name":              func(m *messageReader, raw []byte) { m.Name = m.string("name", raw) },
	"reasoning_content": func(m *messageReader, raw []byte) { m.reasoning("reasoning_content", raw) },
	"reasoning":         func(m *messageReader, raw []byte) { m.reasoning("reasoning", raw) },
	"tool_calls":        (*messageReader).toolCalls,
	"function_call":     (*messageReader).functionCall,
	"tool_call_id":      func(m *messageReader, raw []byte) { m.ToolCallID = m.scalar("tool_call_id", raw) },
	"id":                func(m *messageReader, raw []byte) { m.Label = m.scalar("id", raw) },
	"timestamp":         (*messageReader).timestamp,
}

// fieldOrder is the order in which the known keys are read: how a content is read depends on the
// role, and reasoning_content goes before reasoning.
var fieldOrder = []string{
	"role", "content", "attachments", "name", "reasoning_content", "reasoning", "tool_calls", "function_call",
	"tool_call_id", "id", "timestamp",
}

// readMessage reads one value of a file. The error is the reason where it is no message.
func readMessage(raw []byte) (*messageReader, error) {
	if !json.Valid(raw) {
		return nil, rawjson.SyntaxError(raw)
	}
	if raw[0] != '{' {
		return nil, fmt.Errorf("is %s, not an object with a role and a content", rawjson.Kind(raw))
	}
	m := &messageReader{}
	known := make(map[string][]byte, 8)
	for name, value := range rawjson.Members(raw) {
		key := rawjson.Unquote(name)
		if fieldReaders[key] == nil {
			m.extra.message.Add(name, value)
			continue
		}
		if first, twice := known[key]; twice {
			m.extra.message.Add(name, first)
			m.remark(key, "appears more than once; the last one is used")
		}
		known[key] = value
	}
	if known["role"] == nil && known["content"] == nil && known["tool_calls"] == nil && known["function_call"] == nil {
		return nil, errors.New("has neither a role nor content, so it is not a message")
	}
	for _, key := range fieldOrder {
		if value := known[key]; value != nil && string(value) != "null" {
			fieldReaders[key](m, value)
		}
	}
	m.noContent = known["content"] == nil
	m.judgeRole(known["role"])
	return m, nil
}

func (m *messageReader) remark(field, format string, args ...any) {
	m.remarks = append(m.remarks, conversation.Remark{Field: field, What: fmt.Sprintf(format, args...)})
}

// leave keeps a value that has no place in a message.
func (m *messageReader) leave(field string, raw []byte, reason string) {
	m.extra.message.Set(field, raw)
	m.remark(field, "%s; it is kept, but not used", reason)
}

// string takes a text.
func (m *messageReader) string(field string, raw []byte) string {
	if raw[0] != '"' {
		m.leave(field, raw, "is "+rawjson.Kind(raw)+", not a text")
		return ""
	}
	return rawjson.Unquote(raw)
}

// scalar takes a text or a number: ids are both.
func (m *messageReader) scalar(field string, raw []byte) string {
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		return string(raw)
	}
	return m.string(field, raw)
}

func (m *messageReader) reasoning(field string, raw []byte) {
	if m.Reasoning != "" {
		m.extra.message.Set(field, raw)
		return
	}
	m.Reasoning = m.string(field, raw)
}

func (m *messageReader) role(raw []byte) {
	if raw[0] != '"' {
		m.Role = message.Role(raw)
		return
	}
	name := rawjson.Unquote(raw)
	m.Role = message.Role(name)
	plain := conversation.Role(strings.ToLower(strings.TrimSpace(name)))
	if !conversation.KnownRole(plain) || plain == m.Role {
		return
	}
	m.Role = plain
	m.extra.message.Set("role", raw) // as the file spells it
}

// judgeRole gives the message its status. A message of an unknown role is kept and
// shown, and never sent.
func (m *messageReader) judgeRole(raw []byte) {
	m.Status = message.Imported
	if conversation.KnownRole(m.Role) {
		return
	}
	m.Status = message.Quarantined
	switch {
	case raw == nil:
		m.remark("role", "is missing; the message is kept and shown, but never sent")
	case raw[0] != '"':
		m.remark("role", "is %s, not a text; the message is kept and shown, but never sent", rawjson.Kind(raw))
	default:
		m.remark("role", "%s", conversation.UnknownRole(m.Role))
	}
}

// timestamp reads when the message was written. A time that cannot be read is kept as it is.
func (m *messageReader) timestamp(raw []byte) {
	text, ok := rawjson.Scalar(raw)
	ms, read := conversation.ParseTime(strings.TrimSpace(text))
	switch {
	case ok && read:
		m.CreatedMS = ms
	case ok && text == "":
	default:
		m.extra.message.Set("timestamp", raw)
		m.badTime = fmt.Sprintf("is %s, not a time", rawjson.Kind(raw))
		if ok {
			m.badTime = fmt.Sprintf("is %q, which is not a time", conversation.Shorten(text))
		}
	}
}
