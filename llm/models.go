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

// chatModels are the models that are not, by their names, for something else than chatting.
func chatModels(models []Model) []Model {
	others := []string{"embed", "rerank", "whisper", "tts", "moderation", "bge-", "dall-e"}
	return slices.DeleteFunc(slices.Clone(models), func(m Model) bool {
		id := strings.ToLower(m.ID)
		return slices.ContainsFunc(others, func(other string) bool { return strings.Contains(id, other) })
	})
}

// Current is the model of a list that a default one goes by now: itself where it is listed, else the one
// whose name is nearest to it. It is false for a list without a model to chat with.
func Current(model string, list []Model) (string, bool) {
	if slices.ContainsFunc(list, func(m Model) bool { return SameModel(m.ID, model) }) {
		return model, true
	}
	list = chatModels(list)
	if len(list) == 0 {
		return "", false
	}
	return slices.MaxFunc(list, func(a, b Model) int {
		return cmp.Or(
			cmp.Compare(sharedPrefix(a.ID, model), sharedPrefix(b.ID, model)),
			cmp.Compare(edits(b.ID, model), edits(a.ID, model)),
		)
	}).ID, true
}

// sharedPrefix is how many bytes two names begin with alike.
func sharedPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// listed is an entry of a server's list of models. Every server has its own words.
type listed map[string]any

func (l listed) name() string {
	for _, key := range []string{"id", "model", "name"} {
		if name, _ := l[key].(string); name != "" {
			return strings.TrimPrefix(name, "models/") // Gemini writes models/gemini-…
		}
	}
	return ""
}

// window is what the entry says about the running window, zero for nothing. What a model was trained for says nothing:
// llama.cpp's n_ctx_train, and max_context_length where the server is the user's own, LM Studio or Ollama.
func (l listed) window(own bool) Window {
	for _, said := range []struct {
		tokens any
		key    string
	}{
		{object(l["meta"])["n_ctx"], "meta.n_ctx"}, // llama.cpp
		{l["max_model_len"], "max_model_len"},      // vLLM
		{l["loaded_context_length"], "loaded_context_length"},
		{object(l["top_provider"])["context_length"], "top_provider.context_length"}, // OpenRouter
		{l["context_window"], "context_window"},                                      // Groq
		{l["context_length"], "context_length"},                                      // OpenRouter, Together, Fireworks
		{l["max_context_length"], "max_context_length"},                              // Mistral
	} {
		if n := number(said.tokens); n > 0 && (!own || said.key != "max_context_length") {
			return Window{Tokens: n, Source: "the server's " + said.key}
		}
	}
	return Window{}
}

// list reads the endpoint's list of models.
func (c *Client) list(ctx context.Context) ([]listed, error) {
	raw, err := c.document(ctx, http.MethodGet, c.endpoint.at("/models"), nil)
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

// readList reads an object with data, or models, or a bare list, and leaves out what has no name.
func readList(raw []byte) ([]listed, error) {
	var list []listed
	if json.Unmarshal(raw, &list) != nil {
		var object struct{ Data, Models *[]listed }
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

// unread is the error of an answer that does not hold what was asked for.
func (c *Client) unread(raw []byte, message string, err error) *Error {
	e := c.blank("")
	e.Kind, e.Body, e.Message, e.Err = BadStream, c.keep(raw), message, err
	return e
}

// documentMax is the longest document that is read, in bytes.
const documentMax = 64 << 20

// document does a request, with a JSON document or none, that a JSON document answers. Each change has the last
// word on the request's headers. A web page or an error is an *Error.
func (c *Client) document(
	ctx context.Context, method, address string, body []byte, changes ...func(*http.Request),
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
	for _, change := range changes {
		change(req)
	}
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
