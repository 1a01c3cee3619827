package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"winnow/history"
)

// saying is one message of a transcript while it is read.
type saying struct {
	history.Message
	extra   rawExtra
	bare    bool   // it has no content: neither an empty one nor null
	badTime string // what is wrong with the time that it gives, "" where it gives none
	remarks []Remark
}

// fieldReaders say what the known keys of a message mean. What a reader cannot take goes to the
// message's extra with a remark, so that no byte of a message is lost.
var fieldReaders = map[string]func(*saying, []byte){
	"role":              (*saying).role,
	"content":           (*saying).content,
	"attachments":       (*saying).attachments,
	"name":              func(m *saying, raw []byte) { m.Name = m.string("name", raw) },
	"reasoning_content": func(m *saying, raw []byte) { m.reasoning("reasoning_content", raw) },
	"reasoning":         func(m *saying, raw []byte) { m.reasoning("reasoning", raw) },
	"tool_calls":        (*saying).toolCalls,
	"function_call":     (*saying).functionCall,
	"tool_call_id":      func(m *saying, raw []byte) { m.ToolCallID = m.scalar("tool_call_id", raw) },
	"id":                func(m *saying, raw []byte) { m.Label = m.scalar("id", raw) },
	"timestamp":         (*saying).timestamp,
}

// fieldOrder is the order in which the known keys are read: how a content is read depends on who
// speaks, and reasoning_content goes before reasoning.
var fieldOrder = []string{
	"role", "content", "attachments", "name", "reasoning_content", "reasoning", "tool_calls", "function_call",
	"tool_call_id", "id", "timestamp",
}

// readMessage reads one value of a transcript. The error says why it is no message.
func readMessage(raw []byte) (*saying, error) {
	if !json.Valid(raw) {
		return nil, syntaxError(raw)
	}
	if raw[0] != '{' {
		return nil, fmt.Errorf("is %s, not an object with a role and a content", kindOf(raw))
	}
	m := &saying{}
	known := make(map[string][]byte, 8)
	for name, value := range pairs(raw) {
		key := unquote(name)
		if fieldReaders[key] == nil {
			m.extra.message.add(name, value)
			continue
		}
		if first, twice := known[key]; twice {
			m.extra.message.add(name, first)
			m.remark(key, "stands there more than once; the last one counts")
		}
		known[key] = value
	}
	if known["role"] == nil && known["content"] == nil && known["tool_calls"] == nil && known["function_call"] == nil {
		return nil, errors.New("has neither a role nor a content, so it is no message")
	}
	for _, key := range fieldOrder {
		if value := known[key]; value != nil && string(value) != "null" {
			fieldReaders[key](m, value)
		}
	}
	m.bare = known["content"] == nil
	m.judgeRole(known["role"])
	return m, nil
}

// syntaxError says what is wrong with a text that is not JSON.
func syntaxError(raw []byte) error {
	var value any
	err := json.Unmarshal(raw, &value)
	var at *json.SyntaxError
	if errors.As(err, &at) {
		return fmt.Errorf("is not JSON (byte %d of it: %w)", at.Offset, err)
	}
	return errors.New("is not JSON")
}

// kindOf names the kind of a JSON value with its article.
func kindOf(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a text"
	case 't', 'f':
		return "a truth value"
	case 'n':
		return "null"
	}
	return "a number"
}

func (m *saying) remark(field, format string, args ...any) {
	m.remarks = append(m.remarks, Remark{Field: field, What: fmt.Sprintf(format, args...)})
}

// leave keeps a value that has no place in a message.
func (m *saying) leave(field string, raw []byte, why string) {
	m.extra.message.keep(field, raw)
	m.remark(field, "%s; it is kept, but not used", why)
}

// string takes a text.
func (m *saying) string(field string, raw []byte) string {
	if raw[0] != '"' {
		m.leave(field, raw, "is "+kindOf(raw)+", not a text")
		return ""
	}
	return unquote(raw)
}

// scalar takes a text or a number: ids are both.
func (m *saying) scalar(field string, raw []byte) string {
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		return string(raw)
	}
	return m.string(field, raw)
}

func (m *saying) reasoning(field string, raw []byte) {
	if m.Reasoning != "" {
		m.extra.message.keep(field, raw)
		return
	}
	m.Reasoning = m.string(field, raw)
}

// roleNames are the names that other programs have for the four roles.
var roleNames = map[string]history.Role{
	"developer": history.System, "orchestrator": history.Assistant, "function": history.Tool,
}

func (m *saying) role(raw []byte) {
	if raw[0] != '"' {
		m.Role = history.Role(raw)
		return
	}
	said := unquote(raw)
	m.Role = history.Role(said)
	plain := history.Role(strings.ToLower(strings.TrimSpace(said)))
	if name, ok := roleNames[string(plain)]; ok {
		plain = name
	}
	if !sendable(plain) || plain == m.Role {
		return
	}
	m.Role = plain
	m.extra.message.keep("role", raw) // as the file spells it
}

func sendable(r history.Role) bool {
	return slices.Contains([]history.Role{history.System, history.User, history.Assistant, history.Tool}, r)
}

// judgeRole gives the message its status. A message that nobody can be said to have said is kept and
// shown, and never sent.
func (m *saying) judgeRole(raw []byte) {
	m.Status = history.Imported
	if sendable(m.Role) {
		return
	}
	m.Status = history.Quarantined
	switch {
	case raw == nil:
		m.remark("role", "is missing; the message is kept and shown, but never sent")
	case raw[0] != '"':
		m.remark("role", "is %s, not a text; the message is kept and shown, but never sent", kindOf(raw))
	default:
		m.remark("role", "is %q, which no model knows; the message is kept and shown, but never sent", short(string(m.Role)))
	}
}

// short is the beginning of a text for a sentence.
func short(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:39]) + "…"
	}
	return text
}
