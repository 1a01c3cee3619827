package conversation

import (
	"bytes"
	"encoding/json"
)

// Value is one JSON value of a file.
type Value struct {
	Raw    json.RawMessage
	Line   int    // its line, from 1, where every line is a value; else 0
	Broken string // why there is no value: from the verb on, "is not JSON"; "" where there is one
}

// Items are the values of a JSON list, as they are in the file; ok is false for any other value.
func ListItems(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	return items, true
}

// Text is a JSON string, "" for null and nothing, and the JSON itself of any other value: as the type of a field it
// reads an id that is a text or a number.
type Text string

// UnmarshalJSON reads a text.
func (t *Text) UnmarshalJSON(raw []byte) error {
	*t = Text(TextOf(raw))
	return nil
}

// TextOf is a JSON value as a Text.
func TextOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// InputJSON is the JSON of an object with one member, which is a text.
func ObjectJSON(key, text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]string{key: text}) // texts always encode
	return string(bytes.TrimSpace(b.Bytes()))
}
