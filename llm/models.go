package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Model is a model that an endpoint offers.
type Model struct {
	Endpoint string
	ID       string // as the endpoint knows it; it may hold slashes
	Window   Window // what the list of models says about it, zero for nothing
}

// Ref is the model's reference: endpoint/model.
func (m Model) Ref() string { return m.Endpoint + "/" + m.ID }

// Current is the model of a list that a default one goes by now: itself where it is listed, else the one
// whose name is nearest to it. It is false for a list without a model to chat with.
func Current(model string, list []Model) (string, bool) {
	for _, m := range list {
		if SameModel(m.ID, model) {
			return model, true
		}
	}
	best, shared, distance := "", -1, 0
	for _, m := range chatModels(list) {
		n, d := sharedPrefix(m.ID, model), edits(m.ID, model)
		if n > shared || n == shared && d < distance {
			best, shared, distance = m.ID, n, d
		}
	}
	return best, best != ""
}

// sharedPrefix is how many bytes two names begin with alike.
func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// listed is an entry of a server's list of models. Every server adds its own words for the window.
type listed struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Model string `json:"model"`
	Meta  struct {
		NCtx any `json:"n_ctx"` // llama.cpp; its n_ctx_train is what the model was trained for
	} `json:"meta"`
	MaxModelLen any `json:"max_model_len"` // vLLM
	TopProvider struct {
		ContextLength any `json:"context_length"`
	} `json:"top_provider"` // OpenRouter
	ContextLength    any `json:"context_length"`     // OpenRouter, Together, Fireworks
	ContextWindow    any `json:"context_window"`     // Groq
	MaxContextLength any `json:"max_context_length"` // Mistral
	LoadedContext    any `json:"loaded_context_length"`
	Pricing          any `json:"pricing"`
}

func (l listed) name() string {
	for _, name := range []string{l.ID, l.Model, l.Name} {
		if name != "" {
			return strings.TrimPrefix(name, "models/") // Gemini writes models/gemini-…
		}
	}
	return ""
}

// window is what the entry says about the running window, zero for nothing. LM Studio's and
// Ollama's max_context_length is what the model was trained for.
func (l listed) window() Window {
	for _, field := range []struct {
		tokens any
		source string
	}{
		{l.Meta.NCtx, "the server's meta.n_ctx"},
		{l.MaxModelLen, "the server's max_model_len"},
		{l.LoadedContext, "the server's loaded_context_length"},
		{l.TopProvider.ContextLength, "the server's top_provider.context_length"},
		{l.ContextWindow, "the server's context_window"},
		{l.ContextLength, "the server's context_length"},
	} {
		if n := number(field.tokens); n > 0 {
			return Window{Tokens: n, Source: field.source}
		}
	}
	return Window{}
}

// list reads the endpoint's list of models: an object with data, or models, or a bare list.
func (c *Client) list(ctx context.Context) ([]listed, error) {
	raw, err := c.get(ctx, c.endpoint.at("/models"))
	if err != nil {
		return nil, err
	}
	entries, err := readList(raw)
	if err != nil {
		return nil, c.unread(raw, "its list of models cannot be read", err)
	}
	c.keepNames(entries)
	c.keepPrices(entries)
	return entries, nil
}

// unread is the error of an answer that does not hold what was asked for.
func (c *Client) unread(raw []byte, message string, err error) *Error {
	e := c.blank("")
	e.Kind, e.Body, e.Message, e.Err = BadStream, c.keep(raw), message, err
	return e
}

// readList leaves out what has no name.
func readList(raw []byte) ([]listed, error) {
	var list []listed
	if json.Unmarshal(raw, &list) != nil {
		var object struct {
			Data   *[]listed `json:"data"`
			Models *[]listed `json:"models"`
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, fmt.Errorf("read list of models: %w", err)
		}
		found := cmp.Or(object.Data, object.Models)
		if found == nil {
			return nil, fmt.Errorf("read list of models: neither data nor models in %.80s", raw)
		}
		list = *found
	}
	return slices.DeleteFunc(list, func(l listed) bool { return l.name() == "" }), nil
}

// get reads a JSON document of the server. A web page or an error is an *Error.
func (c *Client) get(ctx context.Context, address string) ([]byte, error) {
	return c.document(ctx, http.MethodGet, address, nil)
}

// document does a request, with a JSON document or none, that a JSON document answers.
func (c *Client) document(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	return c.documentWith(ctx, method, address, body, func(*http.Request) {})
}

// documentMax is the longest document that is read, in bytes.
const documentMax = 64 << 20

// documentWith is document, and change has the last word on the request's headers.
func (c *Client) documentWith(
	ctx context.Context, method, address string, body []byte, change func(*http.Request),
) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, c.unreached(ctx, err, "")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	c.authorize(req)
	change(req)
	resp, err := c.send(req)
	if err != nil {
		return nil, c.asError(ctx, err, "")
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return nil, c.asError(ctx, c.failed(resp, ""), "")
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, documentMax))
	if err != nil {
		return nil, c.asError(ctx, err, "")
	}
	if !json.Valid(answer) {
		return nil, c.strange(resp, answer, "")
	}
	return answer, nil
}
