package llm

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// shape is what the chunks of a stream have in common: nearly all of them differ from the one before
// in the text of their delta alone. Such a chunk needs no decoding, for all else that it holds was
// read with the one before, and reading it again would change nothing.
type shape struct {
	before, after []byte // what stands around the text, its quotes included
	vain          int    // shapes learned that fitted no chunk: some servers change more with each
}

// vainMost is how many shapes are learned in vain before none is any more.
const vainMost = 8

// contentKey is how servers write what stands in front of the text.
var contentKey = []byte(`"content":`)

// forget drops the shape: the chunk at hand is of another.
func (s *shape) forget() { s.before, s.after = nil, nil }

// learn takes the shape of a chunk with this delta. There is none where reading the chunk twice
// would not be the same as once. Where the text stands is proven and not only looked for: another
// text in that place must be the delta's content.
func (s *shape) learn(raw []byte, delta map[string]json.RawMessage, again bool) {
	content := delta["content"]
	if !again || s.vain >= vainMost || len(content) < 2 || content[0] != '"' || bytes.Count(raw, contentKey) != 1 {
		return
	}
	at := bytes.Index(raw, contentKey) + len(contentKey)
	if !bytes.HasPrefix(raw[at:], content) {
		return // A blank stands in between.
	}
	before, after := bytes.Clone(raw[:at+1]), bytes.Clone(raw[at+len(content)-1:])
	other := append(bytes.Clone(content[:len(content)-1]), '~', '"')
	probe := slices.Concat(before[:at], other, after[1:])
	var chunk struct {
		Choices []struct {
			Delta map[string]json.RawMessage `json:"delta"`
		} `json:"choices"`
	}
	if json.Unmarshal(probe, &chunk) != nil || len(chunk.Choices) != 1 ||
		!bytes.Equal(chunk.Choices[0].Delta["content"], other) {
		return
	}
	s.before, s.after = before, after
	s.vain++
}

// text is the text of a chunk that is of this shape.
func (s *shape) text(raw []byte) (string, bool) {
	if s.before == nil || len(raw) < len(s.before)+len(s.after) ||
		!bytes.HasPrefix(raw, s.before) || !bytes.HasSuffix(raw, s.after) {
		return "", false
	}
	body := raw[len(s.before) : len(raw)-len(s.after)]
	if plain(body) {
		s.vain = 0
		return string(body), true
	}
	var text string
	quoted := raw[len(s.before)-1 : len(raw)-len(s.after)+1]
	if json.Unmarshal(quoted, &text) != nil {
		return "", false // The text ended earlier: more than the text differs.
	}
	s.vain = 0
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
