package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"winnow/llm/exact"
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
	asked := exact.Request{Model: r.Model, Messages: c.returned(r)}
	for _, t := range r.Tools {
		asked.Tools = append(asked.Tools, exact.Tool{Name: t.Name, Description: t.Description, Parameters: schemaOf(t)})
	}
	switch c.endpoint.counter() {
	case "anthropic":
		return c.countByService(ctx, c.endpoint.at("/messages/count_tokens"), asked.Anthropic(), exact.AnthropicTokens, anthropicKey)
	case "gemini":
		address := strings.TrimSuffix(c.endpoint.at(""), "/openai") + "/models/" + url.PathEscape(exact.GeminiModel(r.Model)) + ":countTokens"
		return c.countByService(ctx, address, asked.Gemini(), exact.GeminiTokens, geminiKey)
	}
	return c.countTemplate(ctx, r)
}

// countByService asks a hosted service, which takes the key in a header of its own and answers with the number
// under a name.
func (c *Client) countByService(ctx context.Context, address string, request any, number, keyHeader string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	body, err := wire.Encode(request)
	if err != nil {
		return 0, fmt.Errorf("encode a request for %s to count: %w", c.endpoint.Name, err)
	}
	key, err := c.key(ctx)
	if err != nil {
		return 0, c.asError(ctx, err, "")
	}
	raw, err := c.documentWith(ctx, http.MethodPost, address, body, func(req *http.Request) {
		if keyHeader == anthropicKey {
			req.Header.Set("Anthropic-Version", anthropicVersion)
		}
		if key == "" {
			return // A gateway may have its own way, which a configured header is.
		}
		if req.Header.Get("Authorization") == bearer(key) {
			req.Header.Del("Authorization")
		}
		req.Header.Set(keyHeader, key.Reveal())
	})
	if err != nil {
		return 0, err
	}
	tokens, ok := exact.Read(raw, number)
	if !ok {
		return 0, c.unread(raw, "the count has no "+number, nil)
	}
	return tokens, nil
}

// countTemplate asks llama.cpp.
func (c *Client) countTemplate(ctx context.Context, r Request) (int, error) {
	body, err := c.encoded(ChatWire, r)
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
	body, err = wire.Encode(map[string]any{"content": *written.Prompt, "add_special": true, "parse_special": true})
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
	body, err := wire.Encode(wire.Tools(functions(tools)))
	if err != nil {
		return "" // Body says what is wrong with a schema that is no JSON.
	}
	return string(body)
}
