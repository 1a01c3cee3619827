package openai

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"winnow/history/message"
	"winnow/session/transfer/rawjson"
)

// Line writes a message as one line of JSONL, without the line's end; a Reader reads it as the same
// message. extra holds further keys in the form of store.Message.Extra, and they return to their places.
// Arguments keep the text that was received. Bytes that are not UTF-8 become U+FFFD, because JSON cannot
// hold them.
func Line(m message.Message, extra []byte) ([]byte, error) {
	var beside struct {
		Message   json.RawMessage            `json:"message"`
		ToolCalls map[string]json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(extra, &beside) != nil {
		beside.Message, beside.ToolCalls = nil, nil // Not of a reply or of an import: it has no place here.
	}
	var line rawjson.Object
	put := func(key string, value any) error {
		text, err := rawjson.Marshal(value)
		if err == nil {
			line.Set(key, text)
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
		{"content", contentOf(m), true},
		{"reasoning_content", m.Reasoning, m.Reasoning != ""},
		{"tool_calls", callsOf(m.ToolCalls, beside.ToolCalls), len(m.ToolCalls) > 0},
		{"tool_call_id", m.ToolCallID, m.ToolCallID != "" || m.Role == message.Tool},
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

// part is one part of a content.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL *image `json:"image_url,omitempty"`
}

type image struct {
	URL string `json:"url"`
}

// contentOf is the content of a message: one text, or a list of parts where it has an image.
func contentOf(m message.Message) any {
	images := false
	var texts []string
	var parts []part
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.ImagePart:
			images = true
			data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			parts = append(parts, part{Type: "image_url", ImageURL: &image{data}})
		case strings.TrimSpace(p.Text) != "":
			texts = append(texts, p.Sent())
			parts = append(parts, part{Type: "text", Text: p.Sent()})
		}
	}
	switch {
	case images && m.Content != "":
		return append(parts, part{Type: "text", Text: m.Content})
	case images:
		return parts
	case len(texts) > 0 && m.Content == "":
		return strings.Join(texts, "\n\n")
	}
	return strings.Join(append(texts, m.Content), "\n\n")
}

// callsOf are calls as Chat Completions has them, each with the keys that it had beside.
func callsOf(calls []message.ToolCall, beside map[string]json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	for i, c := range calls {
		var call, function rawjson.Object
		for _, f := range [][2]string{{"name", c.Name}, {"arguments", c.Arguments}} {
			text, err := rawjson.Marshal(f[1])
			if err != nil {
				panic(err) // a string always encodes
			}
			function.Set(f[0], text)
		}
		id, err := rawjson.Marshal(c.ID)
		if err != nil {
			panic(err) // a string always encodes
		}
		call.Set("id", id)
		call.Set("type", []byte(`"function"`))
		call.Set("function", function)
		addUnknown(&call, beside[strconv.Itoa(i)], func(key string) bool {
			return slices.Contains([]string{"id", "type", "function", "name", "arguments"}, key)
		})
		list = append(list, json.RawMessage(call))
	}
	return list
}

// addUnknown adds the members of an object whose keys have no meaning here.
func addUnknown(to *rawjson.Object, object []byte, known func(key string) bool) {
	if len(object) == 0 || object[0] != '{' {
		return
	}
	for name, value := range rawjson.Members(object) {
		if !known(rawjson.Unquote(name)) {
			to.Add(name, value)
		}
	}
}
