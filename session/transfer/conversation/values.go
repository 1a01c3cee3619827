package conversation

import (
	"bytes"
	"encoding/json"
)

// Value is one JSON value of a file.
type Value struct {
	Raw    json.RawMessage
	Line   int    // line of the file, from 1, if the file has one value per line; otherwise 0
	Broken string // why the value cannot be read, such as "is not JSON"; "" if it can
}

// ListItems returns the items of a JSON list. ok is false for any other value.
func ListItems(raw json.RawMessage) (items []json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, false
	}
	return items, true
}

// Text is a JSON string, "" for null, or the JSON text of any other value. As the type of a field, it reads ids that
// may be strings or numbers.
type Text string

// UnmarshalJSON implements json.Unmarshaler. It returns no error.
func (t *Text) UnmarshalJSON(raw []byte) error {
	*t = Text(TextOf(raw))
	return nil
}

// TextOf returns a JSON value as a Text.
func TextOf(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// ObjectJSON returns a JSON object with one string member.
func ObjectJSON(key, text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(map[string]string{key: text}) // strings always encode
	return string(bytes.TrimSpace(b.Bytes()))
}
