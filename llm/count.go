package llm

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"winnow/llm/tool"
	"winnow/llm/wire"
)

// The headers in which services take a key where they count: not as a bearer token.
const (
	anthropicKey = "X-Api-Key"
	geminiKey    = "X-Goog-Api-Key"
)

// anthropicVersion is the version of the Messages format that the count is asked for in.
const anthropicVersion = "2023-06-01"

// countTime is how long a hosted service may take to count.
const countTime = 20 * time.Second

// counter is who counts a request: the maker of hosted models that does, by its host or by the endpoint's name, else
// llama.cpp.
func (e Endpoint) counter() string {
	switch host := e.Host(); {
	case host == "api.anthropic.com", strings.EqualFold(e.Name, "anthropic"):
		return "anthropic"
	case host == "generativelanguage.googleapis.com", strings.EqualFold(e.Name, "gemini"):
		return "gemini"
	}
	return "llama.cpp"
}

// CountedByService says that CountRequest asks a hosted service. What the user has not sent yet must not go there.
func (e Endpoint) CountedByService() bool { return e.counter() != "llama.cpp" }

// CountRequest asks the server how many tokens a request has, by the model's own template and
// vocabulary. Anthropic and Google have a way to ask for it, and llama.cpp writes the prompt out and counts that. No
// answer is made. It may wait for the network. The error is an *Error.
func (c *Client) CountRequest(ctx context.Context, r Request) (int, error) {
	asked := c.asked(r, ChatWire)
	switch c.endpoint.counter() {
	case "anthropic":
		address := c.endpoint.at("/messages/count_tokens")
		return c.countAt(ctx, address, asked.AnthropicCount(), "input_tokens", anthropicKey)
	case "gemini":
		models := strings.TrimSuffix(c.endpoint.at(""), "/openai") + "/models/"
		address := models + url.PathEscape(strings.TrimPrefix(r.Model, "models/")) + ":countTokens"
		return c.countAt(ctx, address, asked.GeminiCount(), "totalTokens", geminiKey)
	}
	return c.countTemplate(ctx, r)
}

// countAt asks a hosted service, which answers with a number under a key of its own and takes the API key in a header
// of its own.
func (c *Client) countAt(ctx context.Context, address string, request any, answer, header string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	key, err := c.key(ctx)
	if err != nil {
		return 0, c.asError(ctx, err, "")
	}
	body, err := wire.Encode(request)
	if err != nil {
		return 0, fmt.Errorf("encode a request for %s to count: %w", c.endpoint.Name, err)
	}
	raw, err := c.document(ctx, http.MethodPost, address, body, func(req *http.Request) {
		if header == anthropicKey {
			req.Header.Set("Anthropic-Version", anthropicVersion)
		}
		if key == "" {
			return // A gateway may have its own way, which a configured header is.
		}
		if req.Header.Get("Authorization") == bearer(key) {
			req.Header.Del("Authorization")
		}
		req.Header.Set(header, key.Reveal())
	})
	if err != nil {
		return 0, err
	}
	if tokens := number(object(decoded(raw))[answer]); tokens > 0 {
		return tokens, nil
	}
	return 0, c.unread("the count has no "+answer, nil)
}

// countTemplate asks llama.cpp.
func (c *Client) countTemplate(ctx context.Context, r Request) (int, error) {
	var written struct {
		Prompt *string `json:"prompt"`
	}
	body, err := c.encoded(ChatWire, r)
	if err == nil {
		err = c.ask(ctx, http.MethodPost, "/apply-template", body, &written)
	}
	if err != nil {
		return 0, err
	}
	if written.Prompt == nil {
		return 0, c.unread("/apply-template answered without a prompt", nil)
	}
	var counted struct {
		Tokens []any `json:"tokens"`
	}
	// A text always encodes.
	body, _ = wire.Encode(map[string]any{"content": *written.Prompt, "add_special": true, "parse_special": true})
	if err := c.ask(ctx, http.MethodPost, "/tokenize", body, &counted); err != nil {
		return 0, err
	}
	if len(counted.Tokens) == 0 {
		return 0, c.unread("/tokenize answered without tokens", nil)
	}
	return len(counted.Tokens), nil
}

// Schemas is the JSON of tools as a request carries them, for counting. It is "" for none.
func Schemas(tools []tool.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	body, err := wire.Encode(wire.Tools(functions(tools)))
	if err != nil {
		return "" // Body says what is wrong with a schema that is no JSON.
	}
	return string(body)
}
