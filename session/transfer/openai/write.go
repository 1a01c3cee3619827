package openai

import (
	"encoding/base64"
	"encoding/json"
	"maps"
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

// part is one part of a content.
type part struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	ImageURL *image `json:"image_url,omitempty"`
}

type image struct {
	URL string `json:"url"`
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
		text, err := withKeys(written, beside.ToolCalls[strconv.Itoa(i)], "name", "arguments")
		if err != nil {
			return nil, err
		}
		out.ToolCalls = append(out.ToolCalls, text)
	}
	return withKeys(out, beside.Message, keys...)
}

// withKeys is the JSON of a struct with further keys behind its own, but for known ones.
func withKeys(v any, further map[string]json.RawMessage, known ...string) (json.RawMessage, error) {
	text, err := conversation.Marshal(v)
	if err != nil || len(further) == 0 {
		return text, err
	}
	var own map[string]json.RawMessage
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, err
	}
	rest := maps.Clone(further)
	for _, key := range known {
		delete(rest, key)
	}
	for key := range own {
		delete(rest, key)
	}
	if len(rest) == 0 {
		return text, nil
	}
	more, err := conversation.Marshal(rest)
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), more[1:]...), nil
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
