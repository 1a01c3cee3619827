package openai

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"winnow/history/message"
	"winnow/session/transfer/conversation"
)

// line is a message as it is written.
type line struct {
	ID         string            `json:"id,omitempty"`
	Timestamp  string            `json:"timestamp,omitempty"`
	Role       message.Role      `json:"role"`
	Name       string            `json:"name,omitempty"`
	Content    any               `json:"content"`
	Reasoning  string            `json:"reasoning_content,omitempty"`
	ToolCalls  []json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID *string           `json:"tool_call_id,omitempty"`
}

// call is a call as it is written.
type call struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Line writes a message as one line of JSONL, without the line's end; Read reads it as the same message. extra holds
// further keys in the form of store.Message.Extra, and they return to their places. Arguments keep the text that was
// received. Bytes that are not UTF-8 become U+FFFD, because JSON cannot hold them.
func Line(m message.Message, extra []byte) ([]byte, error) {
	var beside struct {
		Message   map[string]json.RawMessage            `json:"message"`
		ToolCalls map[string]map[string]json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(extra, &beside) != nil {
		beside.Message, beside.ToolCalls = nil, nil // Not of a reply or of an import: it has no place here.
	}
	out := line{ID: m.Label, Role: m.Role, Name: m.Name, Content: contentOf(m), Reasoning: m.Reasoning}
	if m.CreatedMS != 0 {
		out.Timestamp = time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	if m.ToolCallID != "" || m.Role == message.Tool {
		out.ToolCallID = &m.ToolCallID
	}
	for i, c := range m.ToolCalls {
		written := call{ID: c.ID, Type: "function"}
		written.Function.Name, written.Function.Arguments = c.Name, c.Arguments
		text, err := withKeys(written, beside.ToolCalls[strconv.Itoa(i)], callKeys)
		if err != nil {
			return nil, err
		}
		out.ToolCalls = append(out.ToolCalls, text)
	}
	return withKeys(out, beside.Message, keys)
}

// withKeys is the JSON of an object with further keys after its own, but for those that it knows.
func withKeys(v any, further map[string]json.RawMessage, known []string) (json.RawMessage, error) {
	for _, key := range known {
		delete(further, key)
	}
	text, err := conversation.Marshal(v)
	if err != nil || len(further) == 0 {
		return text, err
	}
	return append(append(text[:len(text)-1], ','), conversation.Object(further)[1:]...), nil
}

// part is one part of a content.
type part struct {
	Type     string            `json:"type"`
	Text     string            `json:"text,omitempty"`
	ImageURL map[string]string `json:"image_url,omitempty"`
}

// contentOf is the content of a message: one text, or a list of parts where it has an image.
func contentOf(m message.Message) any {
	images := false
	var texts []string
	var parts []part
	add := func(text string) {
		if text != "" {
			texts = append(texts, text)
			parts = append(parts, part{Type: "text", Text: text})
		}
	}
	for _, p := range m.Parts {
		switch {
		case p.Kind == message.ImagePart:
			images = true
			data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			parts = append(parts, part{Type: "image_url", ImageURL: map[string]string{"url": data}})
		case strings.TrimSpace(p.Text) != "":
			add(p.Sent())
		}
	}
	add(m.Content)
	if images {
		return parts
	}
	return strings.Join(texts, "\n\n")
}
