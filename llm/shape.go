package llm

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// shape is what the chunks of a stream have in common: nearly all of them differ from the one before
// in the text of their delta alone. Such a chunk needs no decoding, for all else that it holds was
// read with the one before, and reading it again would change nothing.
type shape struct {
	before, after []byte // what stands around the text, its quotes included
}

// contentKey is what stands in front of the text. It cannot stand inside a JSON string, where its
// quotes would be escaped.
var contentKey = []byte(`"content":`)

// learn takes the shape of a chunk whose delta's content is the JSON value given. Where reading the
// chunk twice would not be the same as once, there is no shape.
func (s *shape) learn(raw []byte, delta map[string]json.RawMessage, again bool) {
	s.before, s.after = nil, nil
	content := delta["content"]
	if !again || len(content) < 2 || content[0] != '"' || bytes.Count(raw, contentKey) != 1 {
		return
	}
	at := bytes.Index(raw, contentKey) + len(contentKey)
	if !bytes.HasPrefix(raw[at:], content) {
		return // A blank stands in between.
	}
	s.before = bytes.Clone(raw[:at+1])
	s.after = bytes.Clone(raw[at+len(content)-1:])
}

// text is the text of a chunk that is of this shape.
func (s *shape) text(raw []byte) (string, bool) {
	if s.before == nil || len(raw) < len(s.before)+len(s.after) ||
		!bytes.HasPrefix(raw, s.before) || !bytes.HasSuffix(raw, s.after) {
		return "", false
	}
	body := raw[len(s.before) : len(raw)-len(s.after)]
	if plain(body) {
		return string(body), true
	}
	var text string
	quoted := raw[len(s.before)-1 : len(raw)-len(s.after)+1]
	if json.Unmarshal(quoted, &text) != nil {
		return "", false // The text ended earlier: more than the text differs.
	}
	return text, true
}

// plain says that the inside of a JSON string stands for itself.
func plain(body []byte) bool {
	for _, b := range body {
		if b == '"' || b == '\\' || b < 0x20 {
			return false
		}
	}
	return utf8.Valid(body)
}
