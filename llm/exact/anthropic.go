package exact

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"winnow/history/message"
)

// AnthropicTokens is the key of the number in the answer to an Anthropic request.
const AnthropicTokens = "input_tokens"

// anthropicRequest is the body of POST /v1/messages/count_tokens.
type anthropicRequest struct {
	Model    string             `json:"model"`
	System   string             `json:"system,omitempty"`
	Messages []anthropicMessage `json:"messages"`
	Tools    []anthropicTool    `json:"tools,omitempty"`
}

type anthropicMessage struct {
	Role    string           `json:"role"` // user or assistant
	Content []anthropicBlock `json:"content"`
}

// anthropicBlock is a text, an image, a call (tool_use) or its result (tool_result).
type anthropicBlock struct {
	Type      string           `json:"type"`
	Text      string           `json:"text,omitempty"`
	Source    *anthropicSource `json:"source,omitempty"`
	ID        string           `json:"id,omitempty"`
	Name      string           `json:"name,omitempty"`
	Input     json.RawMessage  `json:"input,omitempty"`
	ToolUseID string           `json:"tool_use_id,omitempty"`
	Content   []anthropicBlock `json:"content,omitempty"`
}

type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

type anthropicTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// Anthropic is the body of a request in the Messages format. The roles take turns: results of tools belong to the user.
func (r Request) Anthropic() any {
	out := anthropicRequest{Model: r.Model, System: system(r.Messages), Messages: []anthropicMessage{}}
	for _, m := range r.Messages {
		role, blocks := "user", anthropicTexts(m)
		switch m.Role {
		case message.System:
			continue
		case message.Tool:
			blocks = []anthropicBlock{{Type: "tool_result", ToolUseID: anthropicID(m.ToolCallID), Content: blocks}}
		case message.Assistant:
			role = "assistant"
			for _, call := range m.ToolCalls {
				blocks = append(blocks, anthropicBlock{Type: "tool_use", ID: anthropicID(call.ID), Name: call.Name, Input: json.RawMessage(call.Arguments)})
			}
		}
		last := len(out.Messages) - 1
		switch {
		case len(blocks) == 0:
		case last >= 0 && out.Messages[last].Role == role:
			out.Messages[last].Content = append(out.Messages[last].Content, blocks...)
		default:
			out.Messages = append(out.Messages, anthropicMessage{role, blocks})
		}
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, anthropicTool{t.Name, t.Description, t.Parameters})
	}
	return out
}

// anthropicTexts are the images and texts of a message.
func anthropicTexts(m message.Message) []anthropicBlock {
	var blocks []anthropicBlock
	for _, p := range m.Parts {
		if p.Kind == message.ImagePart {
			blocks = append(blocks, anthropicBlock{Type: "image", Source: &anthropicSource{"base64", p.MediaType, base64.StdEncoding.EncodeToString(p.Data)}})
		}
	}
	for _, text := range texts(m) {
		blocks = append(blocks, anthropicBlock{Type: "text", Text: text})
	}
	return blocks
}

// anthropicID is a call's id in the characters that the service takes.
func anthropicID(id string) string {
	if id == "" {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, id)
}
