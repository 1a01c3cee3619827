package conversation

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Marshal returns a value as JSON, without escaping what only HTML needs escaped.
func Marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(buf.Bytes()), err
}

// Object is an object with the bytes of its values as they are, nil for no members. Keys are in the order of their
// names.
func Object(members map[string]json.RawMessage) json.RawMessage {
	if len(members) == 0 {
		return nil
	}
	var out json.RawMessage
	for _, name := range slices.Sorted(maps.Keys(members)) {
		key, _ := Marshal(name) // a string always encodes
		out = append(append(append(append(out, ','), key...), ':'), members[name]...)
	}
	out[0] = '{'
	return append(out, '}')
}

// Items are the values of a JSON list, as they are in the file; ok is false for any other value.
func Items(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	return items, true
}

// Text is a JSON string, "" for null and nothing, and the JSON itself of any other value.
func Text(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// Kind names the kind of a JSON value with its article.
func Kind(raw json.RawMessage) string {
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

// Time is a time that is a text or a number in a file.
type Time struct{ time.Time }

// UnmarshalJSON reads a time. What cannot be read is none.
func (t *Time) UnmarshalJSON(raw []byte) error {
	if ms, ok := ParseTime(strings.TrimSpace(Text(raw))); ok {
		t.Time = time.UnixMilli(ms)
	}
	return nil
}

// MS is a time in Unix milliseconds, 0 for none.
func (t Time) MS() int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
