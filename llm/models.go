package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"winnow/llm/pricing"
	"winnow/llm/wire"
)

// Model is a model that an endpoint offers.
type Model struct {
	Endpoint string
	ID       string // the endpoint's name for it; may contain slashes
	Window   Window // as the server lists it; zero if unknown
}

// Ref is the reference of the model: endpoint/model.
func (m Model) Ref() string { return m.Endpoint + "/" + m.ID }

// chatModels removes models that, judging by their names, are not for chatting.
func chatModels(models []Model) []Model {
	others := []string{"embed", "rerank", "whisper", "tts", "moderation", "bge-", "dall-e"}
	return slices.DeleteFunc(slices.Clone(models), func(m Model) bool {
		id := strings.ToLower(m.ID)
		return slices.ContainsFunc(others, func(other string) bool { return strings.Contains(id, other) })
	})
}

// Models lists the models of the endpoint in the server's order. Each has the window that the list states or, on a
// self-hosted server, the window that it currently runs with. Ollama is also asked for the maximum window of the models
// that run, because the next request may ask for more.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	s := c.queryServer(ctx, "")
	ctx, cancel := context.WithTimeout(ctx, windowTime) // The list has already arrived.
	defer cancel()
	for i, m := range s.models {
		running := s.running[plainModel(m.ID)]
		if s.isOllama && running.Tokens > 0 {
			running = c.ollamaWindow(ctx, running, m.ID)
		}
		s.models[i].Window = cmp.Or(running, m.Window)
	}
	return s.models, s.failed
}

// windowTime is how long the server may take to report its window.
const windowTime = 5 * time.Second

// StatedWindow asks the server for the window that it runs a model with, which is often far smaller than what the model
// was trained for. Its Tokens are 0 if the server does not report it. It is Assumed if the server is Ollama, which
// knows once the model runs. The only error is that ctx ended.
func (c *Client) StatedWindow(ctx context.Context, model string) (Window, error) {
	s := c.queryServer(ctx, model)
	if ctx.Err() != nil {
		return Window{}, stopped(ctx)
	}
	running, listed := s.running[plainModel(model)], Window{}
	if i := slices.IndexFunc(s.models, func(m Model) bool { return sameModel(m.ID, model) }); i >= 0 {
		listed = s.models[i].Window
	}
	if running.MaxTokens > 0 { // Ollama runs the model with the window that is requested.
		return running, nil
	}
	return cmp.Or(s.llamaCpp, listed, running), nil
}

// serverReport is what a server reports about its models.
type serverReport struct {
	models   []Model           // its list of models
	failed   error             // why there is no list
	llamaCpp Window            // llama.cpp's window; it runs one model
	running  map[string]Window // windows of the models that LM Studio or Ollama runs, by plainModel

	isOllama bool
}

// queryServer requests the list of models and, from a self-hosted server, the state of the models that it runs. The
// requests run concurrently; each server knows at most one of the latter. If model is not "", Ollama is also asked
// about that model.
func (c *Client) queryServer(ctx context.Context, model string) serverReport {
	var llamaCpp struct {
		Settings struct {
			NCtx int `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	var studio struct {
		Models []struct {
			Key       string `json:"key"`
			Instances []struct {
				ID     string     `json:"id"`
				Config modelEntry `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	var ollama struct{ Models *[]modelEntry }
	s := serverReport{running: make(map[string]Window)}
	ctx, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	var wait sync.WaitGroup
	wait.Go(func() { s.models, s.failed = c.listModels(ctx) })
	if c.endpoint.IsSelfHosted() || c.endpoint.configuredWire(model) == OllamaWire {
		wait.Go(func() { _ = c.fetchInto(ctx, http.MethodGet, "/props", nil, &llamaCpp) })
		wait.Go(func() { _ = c.fetchInto(ctx, http.MethodGet, "/api/v1/models", nil, &studio) })
		wait.Go(func() { _ = c.fetchInto(ctx, http.MethodGet, "/api/ps", nil, &ollama) })
	}
	wait.Wait()
	if n := llamaCpp.Settings.NCtx; n > 0 {
		s.llamaCpp = Window{Tokens: n, Source: "llama.cpp's n_ctx"}
	}
	for _, m := range studio.Models {
		for _, instance := range slices.Backward(m.Instances) { // The first one serves the model's plain name.
			if n := instance.Config.ContextLength; n > 0 {
				w := Window{Tokens: n, Source: "LM Studio's loaded context_length"}
				s.running[plainModel(m.Key)], s.running[plainModel(instance.ID)] = w, w
			}
		}
	}
	if ollama.Models == nil {
		return s
	}
	s.isOllama = true
	for _, l := range *ollama.Models {
		if l.ContextLength > 0 {
			w := Window{Tokens: l.ContextLength, Source: "Ollama's running context_length"}
			s.running[plainModel(l.name())] = w
		}
	}
	if model != "" {
		s.running[plainModel(model)] = c.ollamaWindow(ctx, s.running[plainModel(model)], model)
	}
	return s
}

// modelEntry is an entry of a server's list of models. Each server uses other keys.
type modelEntry struct {
	ID    string `json:"id"`
	Model string `json:"model"`
	Name  string `json:"name"`

	// The window of llama.cpp, vLLM, LM Studio, OpenRouter, Groq, Together and Mistral.
	Meta struct {
		NCtx int `json:"n_ctx"` // n_ctx_train is the window that the model was trained for
	} `json:"meta"`
	MaxModelLen int `json:"max_model_len"`
	Loaded      int `json:"loaded_context_length"`
	TopProvider struct {
		ContextLength int `json:"context_length"`
	} `json:"top_provider"`
	ContextWindow    int `json:"context_window"`
	ContextLength    int `json:"context_length"`
	MaxContextLength int `json:"max_context_length"`

	// OpenRouter's prices: strings, in dollars per token. Other servers have numbers in units of their own.
	Pricing map[string]string `json:"pricing"`
}

// name is the name of the model. Gemini adds the prefix models/.
func (l modelEntry) name() string {
	return strings.TrimPrefix(cmp.Or(l.ID, l.Model, l.Name), "models/")
}

// window is the window that the entry states for the running model, zero if none. max_context_length is ignored on
// self-hosted servers: LM Studio and Ollama report there what the model was trained for.
func (l modelEntry) window(own bool) Window {
	if l.MaxModelLen > 0 {
		return Window{Tokens: l.MaxModelLen, Source: "vLLM's max_model_len"}
	}
	tokens := cmp.Or(l.Meta.NCtx, l.Loaded, l.TopProvider.ContextLength, l.ContextWindow, l.ContextLength)
	if tokens == 0 && !own {
		tokens = l.MaxContextLength
	}
	if tokens <= 0 {
		return Window{}
	}
	return Window{Tokens: tokens, Source: "the server's list of models"}
}

// prices are the prices that the entry states.
func (l modelEntry) prices() pricing.Prices {
	// price is that of n tokens or requests. OpenRouter's -1, for models that it chooses itself, means unknown.
	price := func(key string, things float64) (pricing.Money, bool) {
		n, err := strconv.ParseFloat(l.Pricing[key], 64)
		price, ok := pricing.Dollars(n * things)
		return price, ok && err == nil
	}
	in, known := price("prompt", pricing.Million)
	out, both := price("completion", pricing.Million)
	if !known || !both {
		return pricing.Prices{}
	}
	p := pricing.Prices{
		Rates: pricing.UncachedRates(in, out), Source: "the server's list of models",
	}
	if cached, ok := price("input_cache_read", pricing.Million); ok {
		p.Cached = cached
	}
	if write, ok := price("input_cache_write", pricing.Million); ok {
		p.CacheWrite = write
	}
	p.Request, _ = price("request", 1)
	return p
}

// listModels reads the endpoint's list of models and remembers its prices. The list is an object with data or models,
// or a bare array. Models without a name are skipped.
func (c *Client) listModels(ctx context.Context) ([]Model, error) {
	raw, err := c.fetchJSON(ctx, http.MethodGet, c.endpoint.urlOf("/models"), nil)
	if err != nil {
		return nil, err
	}
	var list struct{ Data, Models *[]modelEntry }
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte{'['}) {
		err = decode(raw, &list.Data)
	} else {
		err = decode(raw, &list)
	}
	found := cmp.Or(list.Data, list.Models)
	if err != nil || found == nil {
		return nil, c.permanentError(ErrBadResponse, "", errors.New("its list of models cannot be read"))
	}
	var models []Model
	prices := make(map[string]pricing.Prices)
	for _, l := range *found {
		if name := l.name(); name != "" {
			models = append(models, Model{c.endpoint.Name, name, l.window(c.endpoint.IsSelfHosted())})
			prices[plainModel(name)] = l.prices()
		}
	}
	c.mu.Lock()
	c.prices = prices
	c.mu.Unlock()
	return models, nil
}

// ListLacks reports whether a self-hosted server does not list a model. Some such servers answer for any model name. It
// is false if no list was read or the list is empty.
func (c *Client) ListLacks(model string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, listed := c.prices[plainModel(model)]
	return c.endpoint.IsSelfHosted() && len(c.prices) > 0 && !listed
}

// ollamaWindow asks Ollama about a model and returns its window: w if the model runs, else the num_ctx of its
// Modelfile, else an assumed window. What the model supports is learned as well.
func (c *Client) ollamaWindow(ctx context.Context, w Window, model string) Window {
	var raw json.RawMessage
	body, _ := wire.EncodeJSON(map[string]string{"model": model}) // A string always encodes.
	err := c.fetchInto(ctx, http.MethodPost, "/api/show", body, &raw)
	shown, known := wire.ParseOllamaModel(raw)
	if known = known && err == nil; known {
		native := c.endpoint.configuredWire(model) == AutoWire
		c.changeFacts(model, func(f *facts) {
			f.shown = shown
			f.learned.Native, f.learned.Thinks, f.learned.ThinkLevels = native, shown.Thinking, shown.ThinkLevels
		})
	}
	runs := w.Tokens > 0
	switch {
	case runs:
	case shown.NumCtx > 0:
		w = Window{Tokens: shown.NumCtx, Source: "num_ctx of the model's own file"}
	default:
		w.Assumed = true
	}
	if known && c.Wire(model) == OllamaWire {
		w.MaxTokens, w.AskAgain = shown.TrainedWindow, !runs
	}
	return w
}

// CountRequestTokens asks llama.cpp for the number of tokens of a request: it applies the model's chat template and
// tokenizes the result, without generating an answer. The error is an *Error if the server does not support that.
func (c *Client) CountRequestTokens(ctx context.Context, r Request) (int, error) {
	body, err := ChatWire.RequestBody(c.wireRequest(r))
	if err != nil {
		return 0, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	var written struct{ Prompt string }
	if err := c.fetchInto(ctx, http.MethodPost, "/apply-template", body, &written); err != nil {
		return 0, err
	}
	// A string always encodes.
	body, _ = wire.EncodeJSON(map[string]any{"content": written.Prompt, "add_special": true, "parse_special": true})
	var counted struct{ Tokens []any }
	if err := c.fetchInto(ctx, http.MethodPost, "/tokenize", body, &counted); err != nil {
		return 0, err
	}
	if written.Prompt == "" || len(counted.Tokens) == 0 {
		return 0, c.permanentError(ErrBadResponse, "", errors.New("it did not count the tokens of the prompt"))
	}
	return len(counted.Tokens), nil
}

// fetchInto does a request outside the chat API and decodes the response into answer.
func (c *Client) fetchInto(
	ctx context.Context, method, path string, body []byte, answer any,
) error {
	raw, err := c.fetchJSON(ctx, method, c.endpoint.rootURL()+path, body)
	if err != nil {
		return err
	}
	return decode(raw, answer)
}

// decode decodes JSON. Values of unexpected types are skipped, because servers differ in their types.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if other := new(json.UnmarshalTypeError); errors.As(err, &other) {
		return nil
	}
	return err
}

// documentMax is how much of a JSON document is read, in bytes.
const documentMax = 64 << 20

// fetchJSON does a request, with a JSON body or none, and returns the JSON of the response. A web page or a failure
// status is an *Error.
func (c *Client) fetchJSON(ctx context.Context, method, address string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return nil, c.connectionError(err, "")
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.send(req)
	if err != nil {
		return nil, c.asError(ctx, err, "")
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return nil, c.asError(ctx, c.readRefusal(resp, ""), "")
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, documentMax))
	if err != nil {
		return nil, c.asError(ctx, err, "")
	}
	if !json.Valid(answer) {
		return nil, c.unexpectedBody(resp, answer, "")
	}
	return answer, nil
}
