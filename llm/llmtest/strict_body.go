package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// body is the part of a request body that the rules check.
type body struct {
	server   string // whose rules are checked
	model    string
	keys     keys
	messages []message
}

type keys map[string]json.RawMessage

// there reports whether a key exists and is not null.
func (k keys) there(key string) bool { return len(k[key]) > 0 && string(k[key]) != "null" }

// message is a message of Chat Completions, or an item of the Responses API: a call is read as an assistant message
// with one call, an output as a tool message.
type message struct {
	Role       string
	Type       string // of an item
	ID         string
	Content    content
	ToolCalls  []toolCall `json:"tool_calls"`
	ToolCallID string     `json:"tool_call_id"`

	keys keys
}

// content is the content of a message.
type content struct {
	there bool // the key exists and is not null
	text  string
	parts []part // nil if the content is a string
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

// both decodes an object and its keys.
func both(raw []byte, object any, keys *keys) error {
	if err := json.Unmarshal(raw, object); err != nil {
		return err
	}
	return json.Unmarshal(raw, keys)
}

// nullEscape matches an escaped null character in JSON.
var nullEscape = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\u0000`)

// readBody decodes a body. The fault is about its form: invalid JSON, a value of the wrong type, or a duplicate key.
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

// doubled returns an error for a duplicate key in an object. Servers differ in which one counts.
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

// speaks reports whether a content contains anything but white space.
func (c content) speaks() bool {
	for _, p := range c.parts {
		if p.Type != "text" || p.Text != nil && strings.TrimSpace(*p.Text) != "" {
			return true
		}
	}
	return strings.TrimSpace(c.text) != ""
}
