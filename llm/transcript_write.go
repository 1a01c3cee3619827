package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"winnow/history"
)

// TranscriptLine writes a message as one line of a Chat Completions transcript, without the line's end:
// what ReadTranscript reads as the same message. extra is what the message holds beside, in the shape of
// Told.Extra, and goes back to its places. Arguments keep the text that was received. JSON has no place
// for bytes that are not UTF-8: U+FFFD stands for them.
func TranscriptLine(m history.Message, extra []byte) ([]byte, error) {
	var beside struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(extra, &beside) != nil {
		beside.Message, beside.ToolCalls = nil, nil // Not of a reply or a transcript: it has no place here.
	}
	var line rawObject
	put := func(key string, value any) error {
		text, err := plainJSON(value)
		if err == nil {
			line.keep(key, text)
		}
		return err
	}
	fields := []struct {
		key   string
		value any
		there bool
	}{
		{"id", m.Label, m.Label != ""},
		{"timestamp", time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02T15:04:05.000Z07:00"), m.CreatedMS != 0},
		{"role", m.Role, true},
		{"name", m.Name, m.Name != ""},
		{"content", toldContent(m), true},
		{"reasoning_content", m.Reasoning, m.Reasoning != ""},
		{"tool_calls", toldCalls(m.ToolCalls, beside.ToolCalls), len(m.ToolCalls) > 0},
		{"tool_call_id", m.ToolCallID, m.ToolCallID != "" || m.Role == history.Tool},
	}
	for _, f := range fields {
		if !f.there {
			continue
		}
		if err := put(f.key, f.value); err != nil {
			return nil, err
		}
	}
	addUnknown(&line, beside.Message, func(key string) bool { return fieldReaders[key] != nil })
	return line, nil
}

// toldContent is what a request holds of a message, and a blank text beside an image, which no request holds.
func toldContent(m history.Message) any {
	told := content(m)
	if parts, ok := told.([]wirePart); ok && m.Content != "" && strings.TrimSpace(m.Content) == "" {
		return append(parts, wirePart{Type: "text", Text: m.Content})
	}
	return told
}

// toldCalls are calls as a transcript has them, each with the keys that it had beside.
func toldCalls(calls []history.ToolCall, beside map[string]json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	for i, c := range calls {
		var call, function rawObject
		for _, f := range [][2]string{{"name", c.Name}, {"arguments", c.Arguments}} {
			text, err := plainJSON(f[1])
			if err != nil {
				panic(err) // a string always encodes
			}
			function.keep(f[0], text)
		}
		id, err := plainJSON(c.ID)
		if err != nil {
			panic(err) // a string always encodes
		}
		call.keep("id", id)
		call.keep("type", []byte(`"function"`))
		call.keep("function", function)
		addUnknown(&call, beside[strconv.Itoa(i)], func(key string) bool {
			return slices.Contains([]string{"id", "type", "function", "name", "arguments"}, key)
		})
		list = append(list, json.RawMessage(call))
	}
	return list
}

// addUnknown adds the members of an object whose keys have no meaning here.
func addUnknown(to *rawObject, object []byte, known func(key string) bool) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	for name, value := range pairs(object) {
		if !known(unquote(name)) {
			to.add(name, value)
		}
	}
}

// plainJSON is a value as JSON, without escaping what only HTML needs escaped.
func plainJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}
