package llm

import (
	"context"
	"fmt"
	"net/http"
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
	Most    int       // the largest that the server runs the model with on request; 0 where it takes no wishes
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
	Remote     bool   // the server is neither on this machine nor on its own network
	Chosen     Window // by the user, for this endpoint and model
	Configured Window
	Stated     Window // by the server about itself
	Refused    Window // by the server when it refused a request as too long
}

// What is taken where nobody says anything. A hosted service runs no model with less than 128,000 tokens any more; a
// server of the user's own runs it with what the memory allows.
const (
	assumedRemote = 128_000
	assumedOwn    = 8192

	// Ollama serves 4,096 by default on most machines, whatever the model can do, and drops what is over it
	// without a word.
	assumedOllama = 4096
)

// Window decides which number holds. What the user set and what the server says bound one another, so
// the smaller holds; a server that runs the model with the window that is asked for bounds it only by what
// the model can do. A refusal newer than the server's statement disproves it. Where nobody said
// anything the name of the model does, and at last a number is assumed.
func (f WindowFacts) Window() Window {
	set, bound, stated := f.set(), f.bound(), f.stated()
	switch {
	case set.Tokens > 0 && (bound.Tokens == 0 || set.Tokens < bound.Tokens):
		set.Again = f.Stated.Again
		return set
	case set.Tokens > 0:
		return bound
	case stated.Tokens > 0:
		return stated
	case f.Stated.Assumed:
		const source = "assumed: Ollama's default, until the model runs"
		return Window{Tokens: assumedOllama, Source: source, Assumed: true, Again: true, Most: f.Stated.Most}
	}
	if n := byName(f.Model); n > 0 {
		return Window{Tokens: n, Source: "by name, from winnow's table of models", ByName: true}
	}
	if f.Remote {
		return Window{Tokens: assumedRemote, Source: "assumed", Assumed: true}
	}
	return Window{Tokens: assumedOwn, Source: "assumed", Assumed: true}
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

// ConfiguredWindow is the window that the configuration gives a model, without tokens where it gives none.
func (e Endpoint) ConfiguredWindow(model string) Window {
	s, ok := e.configured(model, func(s ModelSettings) bool { return s.Window > 0 })
	switch {
	case ok && s.Table != "":
		return Window{Tokens: s.Window, Source: "the configuration, " + s.Table}
	case ok:
		return Window{Tokens: s.Window, Source: "the configuration"}
	case e.Window == 0:
		return Window{}
	}
	return Window{Tokens: e.Window, Source: "the configuration"}
}

// windowTime is how long the server may take to say what its window is.
const windowTime = 5 * time.Second

// StatedWindow asks the server for the window that it runs a model with, which is often far less than
// what the model was trained for. It has no tokens where the server does not say, and is Assumed where
// the server is Ollama and says it once the model runs. The error is only that ctx ended.
func (c *Client) StatedWindow(ctx context.Context, model string) (Window, error) {
	bounded, cancel := context.WithTimeout(ctx, windowTime)
	defer cancel()
	w := c.askWindow(bounded, model)
	if ctx.Err() != nil {
		return Window{}, stopped(ctx)
	}
	return w, nil
}

// askWindow puts all questions at once and takes the first answer in the order of how much it is to be
// trusted. Only a server of the user's own is asked beyond its list of models.
func (c *Client) askWindow(ctx context.Context, model string) Window {
	questions := []func(context.Context, string) Window{c.listWindow}
	if c.endpoint.local() || c.endpoint.configuredWire(model) == OllamaWire {
		questions = []func(context.Context, string) Window{c.propsWindow, c.listWindow, c.ollamaWindow, c.studioWindow}
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

// listWindow reads the list of models.
func (c *Client) listWindow(ctx context.Context, model string) Window {
	entries, _ := c.list(ctx) // A server that has no list says nothing.
	for _, l := range entries {
		if SameModel(l.name(), model) {
			return l.window(c.endpoint.local())
		}
	}
	return Window{}
}

// propsWindow asks llama.cpp.
func (c *Client) propsWindow(ctx context.Context, _ string) Window {
	settings := object(c.read(ctx, "/props")["default_generation_settings"])
	return statedWindow(number(settings["n_ctx"]), "llama.cpp's n_ctx")
}

func (c *Client) studioWindow(ctx context.Context, model string) Window {
	return c.studioLoaded(ctx)[plainModel(model)]
}

// studioLoaded are the windows of the models that LM Studio has loaded, by plainModel: max_context_length is what a
// model was trained for.
func (c *Client) studioLoaded(ctx context.Context) map[string]Window {
	loaded := make(map[string]Window)
	models, _ := c.read(ctx, "/api/v1/models")["models"].([]any)
	for _, m := range models {
		key, _ := object(m)["key"].(string)
		instances, _ := object(m)["loaded_instances"].([]any)
		for _, instance := range instances {
			id, _ := object(instance)["id"].(string)
			n := number(object(object(instance)["config"])["context_length"])
			for _, name := range []string{id, key} {
				if _, known := loaded[plainModel(name)]; n > 0 && (name == id || !known) {
					loaded[plainModel(name)] = statedWindow(n, "LM Studio's loaded context_length")
				}
			}
		}
	}
	return loaded
}

// read reads a document that is not part of the Chat Completions format. It is nil where the server has none.
func (c *Client) read(ctx context.Context, path string) map[string]any {
	raw, err := c.document(ctx, http.MethodGet, c.endpoint.root()+path, nil)
	if err != nil {
		return nil
	}
	return object(decoded(raw))
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

// statedWindow is what a server says of its window, the zero one for no tokens.
func statedWindow(tokens int, source string) Window {
	if tokens <= 0 {
		return Window{}
	}
	return Window{Tokens: tokens, Source: source}
}

// windows are the windows of hosted models, in tokens, with how their names begin. They are what the makers document.
var windows = map[int]string{
	8_192:     "gpt-4",
	16_385:    "gpt-3.5-turbo",
	32_768:    "gpt-4-32k",
	40_960:    "magistral",
	65_536:    "deepseek",
	128_000:   "gpt-4-turbo gpt-4o gpt-5-chat o1-mini o1-preview",
	131_072:   "gpt-oss grok-3 kimi-k2 llama-3.1 llama-3.3 llama-4 qwen3 " + mistrals,
	200_000:   "claude o1 o3 o4-mini",
	256_000:   "grok-4",
	262_144:   "codestral",
	400_000:   "gpt-5",
	1_047_576: "gpt-4.1",
	1_048_576: "gemini",
	2_097_152: "gemini-1.5-pro",
}

const mistrals = "devstral ministral mistral-large mistral-medium mistral-small open-mistral-nemo"

// byName is the window of a hosted model, 0 where the table does not know it. The longest match counts. What stands
// before the last slash of the name is its maker.
func byName(model string) int {
	model = strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	longest, tokens := 0, 0
	for n, prefixes := range windows {
		for prefix := range strings.FieldsSeq(prefixes) {
			if len(prefix) > longest && strings.HasPrefix(model, prefix) {
				longest, tokens = len(prefix), n
			}
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
