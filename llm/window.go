package llm

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// Window is how many tokens a request and its answer may have together.
type Window struct {
	Tokens  int
	Source  string // where the number comes from, for people
	Assumed bool   // nobody said it: the screen says so
	Again   bool   // the server says it once the model has answered: worth asking then
}

const (
	// assumedWindow is taken where nobody says anything.
	assumedWindow = 8192

	// ollamaWindow is what Ollama serves by default on most machines, whatever the model can do.
	// It drops what is over it without a word, so more must not be assumed.
	ollamaWindow = 4096

	// windowTime is how long the server may take to say what its window is.
	windowTime = 5 * time.Second
)

// Window finds out the window of a model: the configured one; what the server says is running,
// which is often far less than what the model was trained for; a table of hosted models; 8192
// where nobody says anything. The error is only that ctx ended: a server that cannot be asked
// leaves it at the table.
func (c *Client) Window(ctx context.Context, model string) (Window, error) {
	if c.endpoint.Window > 0 {
		return Window{Tokens: c.endpoint.Window, Source: "the configuration"}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	w := c.ask(bounded, model)
	if err := ctx.Err(); err != nil {
		return Window{}, stopped(ctx)
	}
	if w.Tokens > 0 {
		return w, nil
	}
	if !c.endpoint.local() {
		if n := tabled(model); n > 0 {
			return Window{Tokens: n, Source: "winnow's table of hosted models"}, nil
		}
	}
	if w.Assumed {
		return Window{Tokens: ollamaWindow, Source: "assumed: Ollama's default, until the model runs", Assumed: true, Again: true}, nil
	}
	return Window{Tokens: assumedWindow, Source: "assumed", Assumed: true}, nil
}

// ask puts all questions at once and takes the first answer in the order of how much it is to be
// trusted. Only a server of the user's own is asked beyond its list of models.
func (c *Client) ask(ctx context.Context, model string) Window {
	questions := []func(context.Context, string) Window{c.listWindow}
	if c.endpoint.local() {
		questions = []func(context.Context, string) Window{c.propsWindow, c.listWindow, c.ollamaWindow, c.studioWindow}
	}
	answers := make([]Window, len(questions))
	var wait sync.WaitGroup
	for i, question := range questions {
		wait.Go(func() { answers[i] = question(ctx, model) })
	}
	wait.Wait()
	var assumed bool
	for _, w := range answers {
		if w.Tokens > 0 {
			return w
		}
		assumed = assumed || w.Assumed
	}
	return Window{Assumed: assumed}
}

// propsWindow asks llama.cpp.
func (c *Client) propsWindow(ctx context.Context, model string) Window {
	raw, err := c.get(ctx, c.endpoint.root()+"/props")
	if err != nil {
		return Window{}
	}
	var props struct {
		Settings struct {
			NCtx json.RawMessage `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if json.Unmarshal(raw, &props) != nil {
		return Window{}
	}
	return said(number(props.Settings.NCtx), "llama.cpp's n_ctx")
}

// listWindow reads the list of models.
func (c *Client) listWindow(ctx context.Context, model string) Window {
	entries, err := c.list(ctx)
	if err != nil {
		return Window{}
	}
	for _, l := range entries {
		if sameModel(l.name(), model) {
			w := l.window()
			if n := number(l.MaxContextLength); w.Tokens == 0 && n > 0 && !c.endpoint.local() {
				w = said(n, "the server's max_context_length")
			}
			return w
		}
	}
	return Window{}
}

// ollamaWindow asks Ollama for what is running: its show would tell what the model was trained
// for. An answer without the model is a guess to be assumed.
func (c *Client) ollamaWindow(ctx context.Context, model string) Window {
	raw, err := c.get(ctx, c.endpoint.root()+"/api/ps")
	if err != nil {
		return Window{}
	}
	var running struct {
		Models *[]listed `json:"models"`
	}
	if json.Unmarshal(raw, &running) != nil || running.Models == nil {
		return Window{}
	}
	for _, l := range *running.Models {
		if n := number(l.ContextLength); n > 0 && sameModel(l.name(), model) {
			return said(n, "Ollama's running context_length")
		}
	}
	return Window{Assumed: true}
}

// studioWindow asks LM Studio for the loaded instance: max_context_length is what the model was
// trained for.
func (c *Client) studioWindow(ctx context.Context, model string) Window {
	raw, err := c.get(ctx, c.endpoint.root()+"/api/v1/models")
	if err != nil {
		return Window{}
	}
	var list struct {
		Models []struct {
			Key    string `json:"key"`
			Loaded []struct {
				ID     string `json:"id"`
				Config struct {
					ContextLength json.RawMessage `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if json.Unmarshal(raw, &list) != nil {
		return Window{}
	}
	for _, m := range list.Models {
		for _, loaded := range m.Loaded {
			if sameModel(m.Key, model) || sameModel(loaded.ID, model) {
				if n := number(loaded.Config.ContextLength); n > 0 {
					return said(n, "LM Studio's loaded context_length")
				}
			}
		}
	}
	return Window{}
}

func said(tokens int, source string) Window {
	if tokens <= 0 {
		return Window{}
	}
	return Window{Tokens: tokens, Source: source}
}

// sameModel compares names as Ollama does: without a tag, it is the latest.
func sameModel(a, b string) bool {
	return a != "" && plainModel(a) == plainModel(b)
}

// plainModel is a model's name without what servers may write or leave out.
func plainModel(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "models/"), ":latest"))
}

// windows are the windows of hosted models by how their names begin; the longest match counts.
// They are what the makers document; a server's own word always goes first.
var windows = []struct {
	prefix string
	tokens int
}{
	{"gpt-5", 400_000},
	{"gpt-5-chat", 128_000},
	{"gpt-4.1", 1_047_576},
	{"gpt-4o", 128_000},
	{"gpt-4-turbo", 128_000},
	{"gpt-4-32k", 32_768},
	{"gpt-4", 8192},
	{"gpt-3.5-turbo", 16_385},
	{"gpt-oss", 131_072},
	{"o1", 200_000},
	{"o1-mini", 128_000},
	{"o1-preview", 128_000},
	{"o3", 200_000},
	{"o4-mini", 200_000},
	{"claude", 200_000},
	{"gemini-1.5-pro", 2_097_152},
	{"gemini", 1_048_576},
	{"mistral-large", 131_072},
	{"mistral-medium", 131_072},
	{"mistral-small", 131_072},
	{"magistral", 40_960},
	{"ministral", 131_072},
	{"codestral", 262_144},
	{"devstral", 131_072},
	{"open-mistral-nemo", 131_072},
	{"deepseek", 65_536},
	{"llama-3.1", 131_072},
	{"llama-3.3", 131_072},
	{"llama-4", 131_072},
	{"grok-3", 131_072},
	{"grok-4", 256_000},
	{"kimi-k2", 131_072},
	{"qwen3", 131_072},
}

// tabled is the window of a hosted model, 0 where the table does not know it. What stands before
// the last slash names a maker.
func tabled(model string) int {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	best, tokens := 0, 0
	for _, w := range windows {
		if len(w.prefix) > best && strings.HasPrefix(model, w.prefix) {
			best, tokens = len(w.prefix), w.tokens
		}
	}
	return tokens
}
