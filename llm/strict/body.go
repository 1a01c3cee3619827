package strict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"
)

// chat is the body of a request as far as any rule looks at it.
type chat struct {
	object
	messages []message
}

// message is one message of a request.
type message struct {
	object
	role    string
	content content
	calls   []call
	answers string // tool_call_id
	kind    string // of the Responses API alone: the type of the item
}

// content is what a message says.
type content struct {
	there bool // the key is there and not null
	text  string
	parts []part // nil where the content is a text
}

// part is one part of a content that is a list.
type part struct {
	object
	kind string // text, image_url
	text *string
	url  string // of an image
}

// call is one tool call of a message.
type call struct {
	object
	function  object
	id, name  string
	arguments *string // nil where the key is missing
}

// object is a JSON object with its keys in order.
type object []member

type member struct {
	key   string
	value json.RawMessage
}

func (o object) get(key string) (json.RawMessage, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// there says that the key is there and not null.
func (o object) there(key string) bool {
	value, ok := o.get(key)
	return ok && string(value) != "null"
}

// reader reads the values of a body. It keeps the first thing that is wrong.
type reader struct {
	at    int // the message that is read
	wrong *fault
}

// read reads a body whose messages are a list under a key. The fault is one of form: no JSON, or a value of the
// wrong type.
func read(body []byte, key string, one func(r *reader, raw json.RawMessage) message) (*chat, *fault) {
	if !utf8.Valid(body) {
		return nil, wrong(-1, "path", "body", "want", "UTF-8", "got", "other bytes")
	}
	if bytes.Contains(body, []byte(`\u0000`)) && nullEscape().Match(body) {
		return nil, wrong(-1, "path", "body", "want", "text", "got", "a null character")
	}
	r := reader{at: -1}
	c := &chat{object: r.object("body", body)}
	if r.wrong != nil {
		return nil, r.wrong
	}
	if r.text("model", c.object, "model"); r.wrong != nil {
		return nil, r.wrong
	}
	list, _ := c.get(key)
	for i, raw := range r.list(key, list) {
		r.at = i
		c.messages = append(c.messages, one(&r, raw))
		if r.wrong != nil {
			return nil, r.wrong
		}
	}
	return c, r.wrong
}

// readChat reads the body of a request of Chat Completions.
func readChat(body []byte) (*chat, *fault) { return read(body, "messages", (*reader).message) }

// nullEscape is the character 0 in a text, which JSON can only write escaped.
var nullEscape = compile(`(?:^|[^\\])(?:\\\\)*\\u0000`)

func (r *reader) message(raw json.RawMessage) message {
	path := "messages[" + strconv.Itoa(r.at) + "]"
	m := message{object: r.object(path, raw)}
	m.role = r.text(path+".role", m.object, "role")
	m.answers = r.text(path+".tool_call_id", m.object, "tool_call_id")
	m.content = r.content(path+".content", m.object)
	calls, _ := m.get("tool_calls")
	for k, raw := range r.list(path+".tool_calls", calls) {
		m.calls = append(m.calls, r.call(fmt.Sprintf("%s.tool_calls[%d]", path, k), raw))
	}
	return m
}

func (r *reader) content(path string, m object) content {
	raw, _ := m.get("content")
	c := content{there: m.there("content")}
	if !c.there {
		return c
	}
	if raw[0] == '[' {
		c.parts = []part{}
		for k, raw := range r.list(path, raw) {
			c.parts = append(c.parts, r.part(fmt.Sprintf("%s[%d]", path, k), raw))
		}
		return c
	}
	c.text = r.text(path, m, "content")
	return c
}

func (r *reader) part(path string, raw json.RawMessage) part {
	p := part{object: r.object(path, raw)}
	p.kind = r.text(path+".type", p.object, "type")
	if text := r.text(path+".text", p.object, "text"); p.there("text") {
		p.text = &text
	}
	if image, ok := p.get("image_url"); ok {
		p.url = r.text(path+".image_url.url", r.object(path+".image_url", image), "url")
	}
	return p
}

func (r *reader) call(path string, raw json.RawMessage) call {
	c := call{object: r.object(path, raw)}
	c.id = r.text(path+".id", c.object, "id")
	r.text(path+".type", c.object, "type")
	function, ok := c.get("function")
	if !ok {
		function = json.RawMessage("{}")
	}
	c.function = r.object(path+".function", function)
	c.name = r.text(path+".function.name", c.function, "name")
	if text := r.text(path+".function.arguments", c.function, "arguments"); c.function.there("arguments") {
		c.arguments = &text
	}
	return c
}

// object reads an object. A key that comes twice is a fault: which one counts is every server's own
// choice.
func (r *reader) object(path string, raw json.RawMessage) object {
	o, err := objectOf(raw)
	if err != nil && r.wrong == nil {
		r.wrong = wrong(r.at, "path", path, "want", "an object", "got", kindOf(raw)+": "+err.Error())
	}
	return o
}

func objectOf(raw []byte) (object, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("it is no object")
	}
	o, seen := object{}, map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{key: key.(string)} // a token in this place is a key
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		if seen[m.key] {
			return nil, fmt.Errorf("the key %s comes twice", m.key)
		}
		seen[m.key] = true
		o = append(o, m)
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("something stands behind the object")
	}
	return o, nil
}

// list reads a list; what is not there is an empty one.
func (r *reader) list(path string, raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &list) != nil {
		r.mistyped(path, "a list", raw)
	}
	return list
}

// text reads the string of a key; what is not there, or null, is empty.
func (r *reader) text(path string, o object, key string) string {
	var text string
	raw, ok := o.get(key)
	if ok && json.Unmarshal(raw, &text) != nil {
		r.mistyped(path, "a string", raw)
	}
	return text
}

func (r *reader) mistyped(path, want string, raw json.RawMessage) {
	if r.wrong == nil {
		r.wrong = wrong(r.at, "path", path, "want", want, "got", kindOf(raw))
	}
}

// kinds are the types of JSON values but numbers, by how they begin.
var kinds = map[byte]string{'{': "an object", '[': "a list", '"': "a string", 'n': "null", 't': "a boolean", 'f': "a boolean"}

// kindOf names a JSON value's type.
func kindOf(raw json.RawMessage) string {
	if !json.Valid(raw) {
		return "no JSON"
	}
	return cmp.Or(kinds[raw[0]], "a number")
}
