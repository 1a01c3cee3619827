package llm

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Window is how many tokens a request and its answer may have together.
type Window struct {
	Tokens    int
	Source    string    // where the number comes from, for people
	At        time.Time // when it was said first, zero where it has no date
	Assumed   bool      // nobody said it: the screen says so
	ByName    bool      // it is taken from the model's name alone
	AskAgain  bool      // the server says it once the model has answered: worth asking then
	MaxTokens int       // the largest that the server runs the model with on request; 0 if it cannot be requested
}

// Origin is where the number comes from, with its date where it has one.
func (w Window) DatedSource() string {
	if w.At.IsZero() {
		return w.Source
	}
	return w.Source + ", " + w.At.Local().Format(time.DateOnly)
}

// WindowFacts is all that is known of a model's window, by who said it.
type WindowFacts struct {
	Model       string
	Remote      bool   // the server is neither on this machine nor on its own network
	Chosen      Window // by the user, for this endpoint and model
	Configured  Window
	Stated      Window // by the server about itself
	FromRefusal Window // by the server when it refused a request as too long
}

// What is taken where nobody says anything. A hosted service runs no model with less than 128,000 tokens any more; a
// server of the user's own runs it with what the memory allows.
const (
	assumedRemote     = 128_000
	assumedSelfHosted = 8192

	// Ollama serves 4,096 by default on most machines, whatever the model can do, and drops what is over it
	// without a word.
	assumedOllama = 4096
)

// Window decides which number holds. What the user set and what the server says bound one another, so
// the smaller holds; a server that runs the model with the window that is asked for bounds it only by what
// the model can do. A refusal newer than the server's statement disproves it. Where nobody said
// anything the name of the model does, and at last a number is assumed.
func (f WindowFacts) Window() Window {
	set, bound, stated := f.userWindow(), f.limit(), f.serverWindow()
	switch {
	case set.Tokens > 0 && (bound.Tokens == 0 || set.Tokens < bound.Tokens):
		set.AskAgain = f.Stated.AskAgain
		return set
	case set.Tokens > 0:
		return bound
	case stated.Tokens > 0:
		return stated
	case f.Stated.Assumed:
		const source = "assumed: Ollama's default, until the model runs"
		return Window{Tokens: assumedOllama, Source: source, Assumed: true, AskAgain: true, MaxTokens: f.Stated.MaxTokens}
	}
	if n := windowByName(f.Model); n > 0 {
		return Window{Tokens: n, Source: "by name, from winnow's table of models", ByName: true}
	}
	if f.Remote {
		return Window{Tokens: assumedRemote, Source: "assumed", Assumed: true}
	}
	return Window{Tokens: assumedSelfHosted, Source: "assumed", Assumed: true}
}

// Contradicted is the window that the user set, where the server says that it is smaller.
func (f WindowFacts) Contradicted() (set Window, is bool) {
	set, bound := f.userWindow(), f.limit()
	return set, bound.Tokens > 0 && set.Tokens > bound.Tokens
}

// Largest is the largest window that the user can set with an effect: what the server says, 0 where it says
// nothing.
func (f WindowFacts) Largest() int { return f.limit().Tokens }

// bound is the largest window that the user can set with an effect, and who says so.
func (f WindowFacts) limit() Window {
	stated := f.serverWindow()
	if f.Stated.MaxTokens == 0 || stated != f.Stated {
		return stated
	}
	return Window{Tokens: f.Stated.MaxTokens, Source: "the most that the model takes", AskAgain: f.Stated.AskAgain}
}

func (f WindowFacts) userWindow() Window {
	if f.Chosen.Tokens > 0 {
		return f.Chosen
	}
	return f.Configured
}

func (f WindowFacts) serverWindow() Window {
	if f.FromRefusal.Tokens > 0 && (f.Stated.Tokens == 0 || f.FromRefusal.At.After(f.Stated.At)) {
		return f.FromRefusal
	}
	return f.Stated
}

// ConfiguredWindow is the window that the configuration gives a model, without tokens where it gives none.
func (e Endpoint) ConfiguredWindow(model string) Window {
	s := e.modelConfig(model, func(s ModelConfig) bool { return s.Window > 0 })
	w := Window{Tokens: cmp.Or(s.Window, e.Window), Source: "the configuration"}
	switch {
	case w.Tokens == 0:
		return Window{}
	case s.Table != "":
		w.Source += ", " + s.Table
	}
	return w
}

// windows are the windows of hosted models, in tokens, by how their names begin. They are what the makers document.
var windows = map[string]int{
	"gpt-4":         8_192,
	"gpt-3.5-turbo": 16_385,
	"gpt-4-32k":     32_768,
	"magistral":     40_960,
	"deepseek":      65_536,
	"gpt-4-turbo gpt-4o gpt-5-chat o1-mini o1-preview":                     128_000,
	"gpt-oss grok-3 kimi-k2 llama-3.1 llama-3.3 llama-4 qwen3 " + mistrals: 131_072,
	"claude o1 o3 o4-mini": 200_000,
	"grok-4":               256_000,
	"codestral":            262_144,
	"gpt-5":                400_000,
	"gpt-4.1":              1_047_576,
	"gemini":               1_048_576,
	"gemini-1.5-pro":       2_097_152,
}

const mistrals = "devstral ministral mistral-large mistral-medium mistral-small open-mistral-nemo"

// byName is the window of a hosted model, 0 where the table does not know it. What stands before the last slash of the
// name is its maker; of the names in the table, the longest one that the model's begins with counts.
func windowByName(model string) (window int) {
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	longest := 0
	for names, tokens := range windows {
		for prefix := range strings.FieldsSeq(names) {
			if len(prefix) > longest && strings.HasPrefix(name, prefix) {
				longest, window = len(prefix), tokens
			}
		}
	}
	return window
}

// serverSettings are the settings of servers that run a model with a window, by where the server stated it.
var serverSettings = map[string]string{
	"llama.cpp's n_ctx":                 "llama-server -c %d",
	"vLLM's max_model_len":              "vllm serve --max-model-len %d",
	"Ollama's running context_length":   "OLLAMA_CONTEXT_LENGTH=%d ollama serve",
	"LM Studio's loaded context_length": "a context length of %d in LM Studio",
}

// ServerSetting is the setting of the server that stated a window with which it runs the model with so many tokens, ""
// where winnow knows none.
func (w Window) ServerSetting(tokens int) string {
	if setting := serverSettings[w.Source]; setting != "" {
		return fmt.Sprintf(setting, tokens)
	}
	return ""
}
