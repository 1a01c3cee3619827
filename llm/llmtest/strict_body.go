package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// body is the body of a request as far as any rule looks at it.
type body struct {
	server   string // whose rules are looked at
	model    string
	keys     keys
	messages []message
}

type keys map[string]json.RawMessage

// there says that a key is there and not null.
func (k keys) there(key string) bool { return len(k[key]) > 0 && string(k[key]) != "null" }

// message is a message of Chat Completions, or an item of the Responses API, which is read as a message of its own: a
// call as an assistant's with one call, a result as a tool's.
type message struct {
	Role       string
	Type       string // of an item alone
	ID         string
	Content    content
	ToolCalls  []toolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`

	keys keys
}

// content is what a message says.
type content struct {
	there bool // the key is there and not null
	text  string
	parts []part // nil where the content is a text
}

type part struct {
	Type  string
	Text  *string
	Image json.RawMessage `json:"image_url"`

	keys keys
	url  string // of an image
}

type toolCall struct {
	ID       string
	Type     string
	Function function

	keys keys
}

type function struct {
	Name      string
	Arguments *string
}

func (c *content) UnmarshalJSON(raw []byte) error {
	switch c.there = true; raw[0] {
	case 'n':
		c.there = false
		return nil
	case '[':
		return json.Unmarshal(raw, &c.parts)
	}
	return json.Unmarshal(raw, &c.text)
}

func (p *part) UnmarshalJSON(raw []byte) error {
	type plain part
	if err := both(raw, (*plain)(p), &p.keys); err != nil || len(p.Image) == 0 {
		return err
	}
	if p.Image[0] == '"' {
		return json.Unmarshal(p.Image, &p.url)
	}
	var image struct{ URL string }
	err := json.Unmarshal(p.Image, &image)
	p.url = image.URL
	return err
}

func (c *toolCall) UnmarshalJSON(raw []byte) error {
	type plain toolCall
	return both(raw, (*plain)(c), &c.keys)
}

func (m *message) UnmarshalJSON(raw []byte) error {
	type plain message
	var item struct {
		CallID string `json:"call_id"`
		Output content
		function
	}
	if err := both(raw, (*plain)(m), &m.keys); err != nil || m.Type == "" {
		return err
	}
	if err := json.Unmarshal(raw, &item); err != nil {
		return err
	}
	switch m.Type {
	case "function_call":
		m.Role, m.ToolCalls = "assistant", []toolCall{{ID: item.CallID, Function: item.function}}
	case "function_call_output":
		m.Role, m.ToolCallID, m.Content = "tool", item.CallID, item.Output
	}
	for k, p := range m.Content.parts {
		m.Content.parts[k].Type = map[string]string{
			"input_text": "text", "output_text": "text", "input_image": "image_url",
		}[p.Type]
	}
	return nil
}

// both reads an object and its keys.
func both(raw []byte, object any, keys *keys) error {
	if err := json.Unmarshal(raw, object); err != nil {
		return err
	}
	return json.Unmarshal(raw, keys)
}

// nullEscape is the character 0 in a text, which JSON can only write escaped.
var nullEscape = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\u0000`)

// readBody reads a body. The fault is one of form: no JSON, a value of the wrong type, a key that comes twice.
func readBody(raw []byte, server string) (*body, *fault) {
	b := &body{server: server}
	var named struct{ Model string }
	err := both(raw, &named, &b.keys)
	switch b.model = named.Model; {
	case err == nil && !utf8.Valid(raw):
		err = fmt.Errorf("it is not UTF-8")
	case err == nil && nullEscape.Match(raw):
		err = fmt.Errorf("it holds a null character")
	case err == nil:
		err = doubled(json.NewDecoder(bytes.NewReader(raw)))
	}
	if err != nil {
		return b, &fault{at: -1, what: err.Error()}
	}
	var list []json.RawMessage
	raw = b.keys["messages"]
	if server == string(Responses) {
		raw = b.keys["input"]
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &list); err != nil {
			return b, &fault{at: -1, what: err.Error()}
		}
	}
	b.messages = make([]message, len(list))
	for i := range list {
		if err := json.Unmarshal(list[i], &b.messages[i]); err != nil {
			return b, &fault{at: i, what: err.Error()}
		}
	}
	return b, nil
}

// doubled reports a key that comes twice in one object: which one counts is every server's own choice.
func doubled(d *json.Decoder) error {
	open, err := d.Token()
	if err != nil || open != json.Delim('{') && open != json.Delim('[') {
		return err
	}
	seen := map[json.Token]bool{}
	for d.More() {
		if open == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return err
			}
			if seen[key] {
				return fmt.Errorf("the key %v comes twice", key)
			}
			seen[key] = true
		}
		if err := doubled(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// speaks says that a content holds something beside white space.
func (c content) speaks() bool {
	for _, p := range c.parts {
		if p.Type != "text" || p.Text != nil && strings.TrimSpace(*p.Text) != "" {
			return true
		}
	}
	return strings.TrimSpace(c.text) != ""
}
