package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"winnow/llm/tool"
)

// CountRequest asks the server how many tokens a request has, by the model's own template and
// vocabulary. Only llama.cpp can say: it writes the prompt out and counts that. It may wait for the
// network. The error is an *Error.
func (c *Client) CountRequest(ctx context.Context, r Request) (int, error) {
	body, err := c.encoded(chatWire{}, r)
	if err != nil {
		return 0, err
	}
	raw, err := c.document(ctx, http.MethodPost, c.endpoint.root()+"/apply-template", body)
	if err != nil {
		return 0, err
	}
	var written struct {
		Prompt *string `json:"prompt"`
	}
	if err := json.Unmarshal(raw, &written); err != nil || written.Prompt == nil {
		return 0, c.unread(raw, "/apply-template answered without a prompt", nil)
	}
	body, err = encode(map[string]any{"content": *written.Prompt, "add_special": true, "parse_special": true})
	if err != nil {
		return 0, fmt.Errorf("encode a prompt for %s: %w", c.endpoint.Name, err)
	}
	if raw, err = c.document(ctx, http.MethodPost, c.endpoint.root()+"/tokenize", body); err != nil {
		return 0, err
	}
	var counted struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	if err := json.Unmarshal(raw, &counted); err != nil || len(counted.Tokens) == 0 {
		return 0, c.unread(raw, "/tokenize answered without tokens", nil)
	}
	return len(counted.Tokens), nil
}

// Schemas is the JSON of tools as a request carries them, for counting. It is "" for none.
func Schemas(tools []tool.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	body, err := encode(wireTools(tools))
	if err != nil {
		return "" // Body says what is wrong with a schema that is no JSON.
	}
	return string(body)
}
