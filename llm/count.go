package llm

import (
	"context"
	"fmt"
	"net/http"

	"winnow/llm/wire"
)

// CountRequest asks llama.cpp how many tokens a request has: it writes the prompt out by the model's own template, and
// counts that by its vocabulary. No answer is made. It may wait for the network. The error is an *Error where another
// server cannot count.
func (c *Client) CountRequest(ctx context.Context, r Request) (int, error) {
	body, err := ChatWire.Body(c.asked(r))
	if err != nil {
		return 0, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	var written struct {
		Prompt *string `json:"prompt"`
	}
	if err := c.ask(ctx, http.MethodPost, "/apply-template", body, &written); err != nil {
		return 0, err
	}
	if written.Prompt == nil {
		return 0, c.unread("/apply-template answered without a prompt", nil)
	}
	// A text always encodes.
	body, _ = wire.Encode(map[string]any{"content": *written.Prompt, "add_special": true, "parse_special": true})
	var counted struct {
		Tokens []any `json:"tokens"`
	}
	if err := c.ask(ctx, http.MethodPost, "/tokenize", body, &counted); err != nil {
		return 0, err
	}
	if len(counted.Tokens) == 0 {
		return 0, c.unread("/tokenize answered without tokens", nil)
	}
	return len(counted.Tokens), nil
}
