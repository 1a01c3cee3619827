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
	ID       string // as the endpoint knows it; it may hold slashes
	Window   Window // what the server says about it, zero for nothing
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

// Models lists the models that the endpoint offers, in its own order. Each has the window that the server states in
// its list or, of a server of the user's own, that it runs the model with now. Ollama is asked how much the models that
// run take at most: the next request may ask for more.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	s := c.queryServer(ctx, "")
	ctx, cancel := context.WithTimeout(ctx, windowTime) // The list itself has come.
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

// windowTime is how long the server may take to say what its window is.
const windowTime = 5 * time.Second

// StatedWindow asks the server for the window that it runs a model with, which is often far less than
// what the model was trained for. It has no tokens where the server does not say, and is Assumed where
// the server is Ollama and says it once the model runs. The error is only that ctx ended.
func (c *Client) StatedWindow(ctx context.Context, model string) (Window, error) {
	s := c.queryServer(ctx, model)
	if ctx.Err() != nil {
		return Window{}, stopped(ctx)
	}
	running, listed := s.running[plainModel(model)], Window{}
	if i := slices.IndexFunc(s.models, func(m Model) bool { return sameModel(m.ID, model) }); i >= 0 {
		listed = s.models[i].Window
	}
	if running.MaxTokens > 0 { // Ollama runs the model as it is asked to.
		return running, nil
	}
	return cmp.Or(s.llamaCpp, listed, running), nil
}

// survey is what a server says of its models.
type serverReport struct {
	models   []Model           // that it lists
	failed   error             // why there is no list
	llamaCpp Window            // of llama.cpp, which runs one model
	running  map[string]Window // of the models that LM Studio or Ollama runs, by plainModel

	isOllama bool
}

// survey asks for the list of models and, of a server of the user's own, for what is no part of a chat API: what it
// runs. All is asked at once, and a server has the answer to one of these questions at most. Ollama is asked more of
// one model, if one is named.
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
		for _, instance := range slices.Backward(m.Instances) { // The first one answers to the key of the model.
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

// listed is an entry of a server's list of models. Every server has its own words.
type modelEntry struct {
	ID    string `json:"id"`
	Model string `json:"model"`
	Name  string `json:"name"`

	// The window, as llama.cpp, vLLM, LM Studio, OpenRouter, Groq, Together and Mistral say it.
	Meta struct {
		NCtx int `json:"n_ctx"` // n_ctx_train is what the model was trained for
	} `json:"meta"`
	MaxModelLen int `json:"max_model_len"`
	Loaded      int `json:"loaded_context_length"`
	TopProvider struct {
		ContextLength int `json:"context_length"`
	} `json:"top_provider"`
	ContextWindow    int `json:"context_window"`
	ContextLength    int `json:"context_length"`
	MaxContextLength int `json:"max_context_length"`

	// OpenRouter writes texts: they are dollars for a token. Other servers write numbers, each in its own measure.
	Pricing map[string]string `json:"pricing"`
}

// name is the model's name: Gemini writes models/gemini-….
func (l modelEntry) name() string {
	return strings.TrimPrefix(cmp.Or(l.ID, l.Model, l.Name), "models/")
}

// window is what the entry says about the running window, zero for nothing. Where the server is the user's own, LM
// Studio or Ollama, max_context_length is what the model was trained for.
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

// prices are what the entry says of the model's prices.
func (l modelEntry) prices() pricing.Prices {
	// price is that of so many things: OpenRouter's -1, for a model that is chosen anew each time, is none.
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
	p := pricing.Prices{Rates: pricing.UncachedRates(in, out), Source: "the server's list of models"}
	if cached, ok := price("input_cache_read", pricing.Million); ok {
		p.Cached = cached
	}
	if write, ok := price("input_cache_write", pricing.Million); ok {
		p.CacheWrite = write
	}
	p.Request, _ = price("request", 1)
	return p
}

// list reads the endpoint's list of models, and keeps their prices for Prices. The list is an object with data or
// models, or a bare array. A model without a name is left out.
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

// Unlisted says that the server is one of the user's own, some of which answer for any name of a model, and that its
// list lacks this one. A list that was not read or is empty lacks nothing.
func (c *Client) ListLacks(model string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, listed := c.prices[plainModel(model)]
	return c.endpoint.IsSelfHosted() && len(c.prices) > 0 && !listed
}

// ollamaWindow is the window of a model of Ollama: that of the running model, which has no tokens if it does not run,
// else the one that the model's own file asks for, else a guess to be assumed. Ollama says what the model can do, too,
// and that is learned.
func (c *Client) ollamaWindow(ctx context.Context, w Window, model string) Window {
	var raw json.RawMessage
	body, _ := wire.EncodeJSON(map[string]string{"model": model}) // A text always encodes.
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

// CountRequest asks llama.cpp how many tokens a request has: it writes the prompt out by the model's own template, and
// counts that by its vocabulary. No answer is made. It may wait for the network. The error is an *Error where another
// server cannot count.
func (c *Client) CountRequestTokens(ctx context.Context, r Request) (int, error) {
	body, err := ChatWire.RequestBody(c.wireRequest(r))
	if err != nil {
		return 0, fmt.Errorf("encode request to %s: %w", c.endpoint.Name, err)
	}
	var written struct{ Prompt string }
	if err := c.fetchInto(ctx, http.MethodPost, "/apply-template", body, &written); err != nil {
		return 0, err
	}
	// A text always encodes.
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

// ask does a request that is no part of a chat API, and reads the document that answers it.
func (c *Client) fetchInto(ctx context.Context, method, path string, body []byte, answer any) error {
	raw, err := c.fetchJSON(ctx, method, c.endpoint.rootURL()+path, body)
	if err != nil {
		return err
	}
	return decode(raw, answer)
}

// decode reads JSON. A value of another type than expected is left out: servers differ in their types.
func decode(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if other := new(json.UnmarshalTypeError); errors.As(err, &other) {
		return nil
	}
	return err
}

// documentMax is the longest document that is read, in bytes.
const documentMax = 64 << 20

// document does a request, with a JSON document or none, that a JSON document answers. A web page or an error is an
// *Error.
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
