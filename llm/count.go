package llm

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"winnow/llm/exact"
	"winnow/llm/keys"
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
	if !c.endpoint.CountedByService() {
		return c.countTemplate(ctx, r)
	}
	asked := exact.Request{Model: r.Model, Messages: c.returned(r)}
	for _, t := range r.Tools {
		asked.Tools = append(asked.Tools, exact.Tool{Name: t.Name, Description: t.Description, Parameters: schemaOf(t)})
	}
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	key, err := c.key(ctx)
	if err != nil {
		return 0, c.asError(ctx, err, "")
	}
	if c.endpoint.counter() == "anthropic" {
		address := c.endpoint.at("/messages/count_tokens")
		answer, err := c.post(ctx, address, asked.Anthropic(), keyIn(anthropicKey, key), func(req *http.Request) {
			req.Header.Set("Anthropic-Version", anthropicVersion)
		})
		return c.counted(answer, "input_tokens", err)
	}
	models := strings.TrimSuffix(c.endpoint.at(""), "/openai") + "/models/"
	address := models + url.PathEscape(exact.GeminiModel(r.Model)) + ":countTokens"
	answer, err := c.post(ctx, address, asked.Gemini(), keyIn(geminiKey, key))
	return c.counted(answer, "totalTokens", err)
}

// keyIn sends a key in a header of its own. Without a key, a gateway may have its own way,
// which a configured header is.
func keyIn(header string, key keys.Secret) func(*http.Request) {
	return func(req *http.Request) {
		if key == "" {
			return
		}
		if req.Header.Get("Authorization") == bearer(key) {
			req.Header.Del("Authorization")
		}
		req.Header.Set(header, key.Reveal())
	}
}

// post sends a JSON document and reads the one that answers it.
func (c *Client) post(
	ctx context.Context, address string, request any, changes ...func(*http.Request),
) ([]byte, error) {
	body, err := wire.Encode(request)
	if err != nil {
		return nil, fmt.Errorf("encode a request for %s to count: %w", c.endpoint.Name, err)
	}
	return c.document(ctx, http.MethodPost, address, body, changes...)
}

// counted is the number under a key of an answer.
func (c *Client) counted(answer []byte, key string, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	if tokens, ok := whole(object(decoded(answer))[key]); ok && tokens > 0 {
		return tokens, nil
	}
	return 0, c.unread(answer, "the count has no "+key, nil)
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
	prompt, ok := object(decoded(raw))["prompt"].(string)
	if !ok {
		return 0, c.unread(raw, "/apply-template answered without a prompt", nil)
	}
	text := map[string]any{"content": prompt, "add_special": true, "parse_special": true}
	if raw, err = c.post(ctx, c.endpoint.root()+"/tokenize", text); err != nil {
		return 0, err
	}
	tokens, _ := object(decoded(raw))["tokens"].([]any)
	if len(tokens) == 0 {
		return 0, c.unread(raw, "/tokenize answered without tokens", nil)
	}
	return len(tokens), nil
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
