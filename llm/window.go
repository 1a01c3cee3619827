package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Window is how many tokens a request and its answer may have together.
type Window struct {
	Tokens  int
	Source  string    // where the number comes from, for people
	At      time.Time // when it was said first, zero where it has no date
	Assumed bool      // nobody said it: the screen says so
	ByName  bool      // it is taken from the model's name alone
	Again   bool      // the server says it once the model has answered: worth asking then
	Most    int       // the largest window in tokens that the server runs the model with where a request asks for it; 0 where it takes no wishes
}

// Origin is where the number comes from, with its date where it has one.
func (w Window) Origin() string {
	if w.At.IsZero() {
		return w.Source
	}
	return w.Source + ", " + w.At.Local().Format(time.DateOnly)
}

// WindowFacts is all that is known of a model's window, by who said it.
type WindowFacts struct {
	Model      string
	Chosen     Window // by the user, for this endpoint and model
	Configured Window
	Stated     Window // by the server about itself
	Refused    Window // by the server when it refused a request as too long
}

// Window decides which number holds. What the user set and what the server says bound one another, so
// the smaller holds; a server that runs the model with the window that is asked for bounds it only by what
// the model can do. A refusal newer than the server's statement disproves it. Where nobody said
// anything the name of the model does, and at last a number is assumed.
func (f WindowFacts) Window() Window {
	set, stated, bound := f.set(), f.stated(), f.bound()
	switch {
	case set.Tokens > 0 && (bound.Tokens == 0 || set.Tokens < bound.Tokens):
		set.Again = f.Stated.Again
		return set
	case set.Tokens > 0:
		return bound
	case stated.Tokens > 0:
		return stated
	case f.Stated.Assumed:
		return Window{Tokens: ollamaWindow, Source: "assumed: Ollama's default, until the model runs", Assumed: true, Again: true, Most: f.Stated.Most}
	}
	if n := tabled(f.Model); n > 0 {
		return Window{Tokens: n, Source: "by name, from winnow's table of models", ByName: true}
	}
	return Window{Tokens: assumedWindow, Source: "assumed", Assumed: true}
}

// Contradicted is the window that the user set, where the server says that it is smaller.
func (f WindowFacts) Contradicted() (set Window, is bool) {
	set, bound := f.set(), f.bound()
	return set, bound.Tokens > 0 && set.Tokens > bound.Tokens
}

// Largest is the largest window that the user can set with an effect: what the server says, 0 where it says
// nothing.
func (f WindowFacts) Largest() int { return f.bound().Tokens }

// bound is the largest window that the user can set with an effect, and who says so.
func (f WindowFacts) bound() Window {
	stated := f.stated()
	if f.Stated.Most == 0 || stated != f.Stated {
		return stated
	}
	return Window{Tokens: f.Stated.Most, Source: "the most that the model takes", Again: f.Stated.Again}
}

func (f WindowFacts) set() Window {
	if f.Chosen.Tokens > 0 {
		return f.Chosen
	}
	return f.Configured
}

func (f WindowFacts) stated() Window {
	if f.Refused.Tokens > 0 && (f.Stated.Tokens == 0 || f.Refused.At.After(f.Stated.At)) {
		return f.Refused
	}
	return f.Stated
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

// StatedWindow asks the server for the window that it runs a model with, which is often far less than
// what the model was trained for. It has no tokens where the server does not say, and is Assumed where
// the server is Ollama and says it once the model runs. The error is only that ctx ended.
func (c *Client) StatedWindow(ctx context.Context, model string) (Window, error) {
	bounded, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	w := c.ask(bounded, model)
	if ctx.Err() != nil {
		return Window{}, stopped(ctx)
	}
	return w, nil
}

// ConfiguredWindow is the window that the configuration gives a model, without tokens where it gives none.
func (e Endpoint) ConfiguredWindow(model string) Window {
	if s, ok := e.configured(model, func(s ModelSettings) bool { return s.Window > 0 }); ok {
		return Window{Tokens: s.Window, Source: strings.TrimSuffix("the configuration, "+s.Table, ", ")}
	}
	if e.Window == 0 {
		return Window{}
	}
	return Window{Tokens: e.Window, Source: "the configuration"}
}

// ask puts all questions at once and takes the first answer in the order of how much it is to be
// trusted. Only a server of the user's own is asked beyond its list of models.
func (c *Client) ask(ctx context.Context, model string) Window {
	questions := []func(context.Context, string) Window{c.listWindow}
	if c.endpoint.local() || c.endpoint.configuredWire(model) == OllamaWire {
		questions = []func(context.Context, string) Window{c.propsWindow, c.listWindow, c.ollamaWindow, func(ctx context.Context, model string) Window {
			return c.studioLoaded(ctx)[plainModel(model)]
		}}
	}
	answers := make([]Window, len(questions))
	var wait sync.WaitGroup
	for i, question := range questions {
		wait.Go(func() { answers[i] = question(ctx, model) })
	}
	wait.Wait()
	for _, counts := range []func(Window) bool{
		func(w Window) bool { return w.Most > 0 }, // It is Ollama, and runs the model as it is asked to.
		func(w Window) bool { return w.Tokens > 0 },
		func(w Window) bool { return w.Assumed },
	} {
		if i := slices.IndexFunc(answers, counts); i >= 0 {
			return answers[i]
		}
	}
	return Window{}
}

// propsWindow asks llama.cpp.
func (c *Client) propsWindow(ctx context.Context, model string) Window {
	var props struct {
		Settings struct {
			NCtx any `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if !c.read(ctx, "/props", &props) {
		return Window{}
	}
	return statedWindow(number(props.Settings.NCtx), "llama.cpp's n_ctx")
}

// read reads a document that is not part of the Chat Completions format. It is false where the server has none.
func (c *Client) read(ctx context.Context, path string, into any) bool {
	raw, err := c.get(ctx, c.endpoint.root()+path)
	return err == nil && json.Unmarshal(raw, into) == nil
}

// listWindow reads the list of models.
func (c *Client) listWindow(ctx context.Context, model string) Window {
	entries, err := c.list(ctx)
	if err != nil {
		return Window{}
	}
	for _, l := range entries {
		if SameModel(l.name(), model) {
			w := l.window()
			if n := number(l.MaxContextLength); w.Tokens == 0 && n > 0 && !c.endpoint.local() {
				w = statedWindow(n, "the server's max_context_length")
			}
			return w
		}
	}
	return Window{}
}

// studioLoaded are the windows of the models that LM Studio has loaded, by plainModel: max_context_length is what a
// model was trained for.
func (c *Client) studioLoaded(ctx context.Context) map[string]Window {
	var list struct {
		Models []struct {
			Key    string `json:"key"`
			Loaded []struct {
				ID     string `json:"id"`
				Config struct {
					ContextLength any `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if !c.read(ctx, "/api/v1/models", &list) {
		return nil
	}
	loaded := make(map[string]Window)
	for _, m := range list.Models {
		for _, instance := range m.Loaded {
			if n := number(instance.Config.ContextLength); n > 0 {
				w := statedWindow(n, "LM Studio's loaded context_length")
				loaded[plainModel(instance.ID)] = w
				if _, ok := loaded[plainModel(m.Key)]; !ok {
					loaded[plainModel(m.Key)] = w
				}
			}
		}
	}
	return loaded
}

// running are the windows of the models that a server of the user's own runs now, by plainModel, and whether it is
// Ollama.
func (c *Client) running(ctx context.Context) (windows map[string]Window, isOllama bool) {
	if !c.endpoint.local() || c.endpoint.Name == Guide {
		return nil, false
	}
	if running, is, _ := c.ollamaRunning(ctx); is {
		return running, true
	}
	return c.studioLoaded(ctx), false
}

func statedWindow(tokens int, source string) Window {
	if tokens <= 0 {
		return Window{}
	}
	return Window{Tokens: tokens, Source: source}
}

// SameModel compares names as Ollama does: without a tag, it is the latest.
func SameModel(a, b string) bool {
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

// ServerSetting is the setting of the server that stated a window with which it runs the model with so many tokens, ""
// where winnow knows none.
func (w Window) ServerSetting(tokens int) string {
	switch w.Source {
	case "llama.cpp's n_ctx", "the server's meta.n_ctx":
		return fmt.Sprintf("llama-server -c %d", tokens)
	case "Ollama's running context_length":
		return fmt.Sprintf("OLLAMA_CONTEXT_LENGTH=%d ollama serve", tokens)
	case "the server's max_model_len":
		return fmt.Sprintf("vllm serve --max-model-len %d", tokens)
	case "LM Studio's loaded context_length", "the server's loaded_context_length":
		return fmt.Sprintf("a context length of %d in LM Studio", tokens)
	}
	return ""
}
