package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"winnow/history/message"
	"winnow/session/store"
)

// line is a message in the file.
type line struct {
	ID         string       `json:"id,omitempty"`
	Timestamp  string       `json:"timestamp,omitempty"`
	Role       message.Role `json:"role"`
	Name       string       `json:"name,omitempty"`
	Content    any          `json:"content"` // a string, or []part if there are images
	Reasoning  string       `json:"reasoning_content,omitempty"`
	ToolCalls  []toolCall   `json:"tool_calls,omitempty"`
	ToolCallID *string      `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type part struct {
	Type     string            `json:"type"`
	Text     string            `json:"text,omitempty"`
	ImageURL map[string]string `json:"image_url,omitempty"`
}

// Write writes a branch of a session as JSON lines, beginning with its system prompt. Read returns the same messages.
// Bytes that are not UTF-8 become U+FFFD, because JSON cannot hold them.
func Write(out io.Writer, row store.Session, branch []store.Message) error {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	if row.System != "" {
		if err := lines.Encode(line{Role: message.System, Content: row.System}); err != nil {
			return err
		}
	}
	for _, m := range branch {
		if err := lines.Encode(lineOf(m.Message)); err != nil {
			return fmt.Errorf("write message %d: %w", m.ID, err)
		}
	}
	return nil
}

func lineOf(m message.Message) line {
	out := line{ID: m.Label, Role: m.Role, Name: m.Name, Content: contentOf(m), Reasoning: m.Reasoning}
	if m.CreatedMS != 0 {
		out.Timestamp = time.UnixMilli(m.CreatedMS).UTC().Format("2006-01-02T15:04:05.000Z07:00")
	}
	if m.ToolCallID != "" || m.Role == message.Tool {
		out.ToolCallID = &m.ToolCallID
	}
	for _, c := range m.ToolCalls {
		written := toolCall{ID: c.ID, Type: "function"}
		written.Function.Name, written.Function.Arguments = c.Name, c.Arguments
		out.ToolCalls = append(out.ToolCalls, written)
	}
	return out
}

// contentOf returns the content of a message: a string, or a list of parts.
func contentOf(m message.Message) any {
	if len(m.Parts) == 0 {
		return m.Content
	}
	var parts []part
	for _, p := range m.Parts {
		if p.Kind == message.ImagePart {
			data := "data:" + p.MediaType + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
			parts = append(parts, part{Type: "image_url", ImageURL: map[string]string{"url": data}})
		} else {
			parts = append(parts, part{Type: "text", Text: p.AsText()})
		}
	}
	if m.Content != "" {
		parts = append(parts, part{Type: "text", Text: m.Content})
	}
	return parts
}
