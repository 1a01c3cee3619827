package llm

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Window is a context window: how many tokens a request and its answer may have together.
type Window struct {
	Tokens    int
	Source    string    // where the number comes from, to be shown
	At        time.Time // when it was first learned; may be zero
	Assumed   bool      // a default; nothing is known about the window
	ByName    bool      // looked up by the name of the model
	AskAgain  bool      // the server can tell once the model has answered
	MaxTokens int       // the largest window that can be requested; 0 if none can
}

// DatedSource is the source of the number, with its date if it has one.
func (w Window) DatedSource() string {
	if w.At.IsZero() {
		return w.Source
	}
	return w.Source + ", " + w.At.Local().Format(time.DateOnly)
}

// WindowFacts holds everything that is known about the window of a model, by source.
type WindowFacts struct {
	Model       string
	Remote      bool   // the server is not self-hosted
	Chosen      Window // set by the user for this endpoint and model
	Configured  Window
	Stated      Window // reported by the server
	FromRefusal Window // from the refusal of a request that was too long
}

// The defaults if nothing is known. No hosted service offers less than 128,000 tokens any more; a
// self-hosted server offers what its memory allows.
const (
	assumedRemote     = 128_000
	assumedSelfHosted = 8192

	// Ollama's default is 4,096 on most machines, whatever the model supports, and it silently drops
	// whatever exceeds it.
	assumedOllama = 4096
)

// Window decides which number to use. The user's setting and the server's report limit each other, so the smaller one
// counts; if the window can be requested, only the model's maximum limits the setting. A refusal that is newer than the
// report replaces it. If neither is known, the window is looked up by the model's name, and finally a default is
// assumed.
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
		w := Window{Tokens: assumedOllama, Source: source, Assumed: true, AskAgain: true}
		w.MaxTokens = f.Stated.MaxTokens
		return w
	}
	if n := windowByName(f.Model); n > 0 {
		return Window{Tokens: n, Source: "by name, from winnow's table of models", ByName: true}
	}
	if f.Remote {
		return Window{Tokens: assumedRemote, Source: "assumed", Assumed: true}
	}
	return Window{Tokens: assumedSelfHosted, Source: "assumed", Assumed: true}
}

// Contradicted returns the window that the user set if it exceeds what the server supports.
func (f WindowFacts) Contradicted() (set Window, is bool) {
	set, bound := f.userWindow(), f.limit()
	return set, bound.Tokens > 0 && set.Tokens > bound.Tokens
}

// Largest is the largest window that the user can usefully set, as reported by the server; 0 if that is unknown.
func (f WindowFacts) Largest() int { return f.limit().Tokens }

// limit is the largest window that the user can usefully set, with its source.
func (f WindowFacts) limit() Window {
	stated := f.serverWindow()
	if f.Stated.MaxTokens == 0 || stated != f.Stated {
		return stated
	}
	return Window{
		Tokens: f.Stated.MaxTokens, Source: "the most that the model takes", AskAgain: f.Stated.AskAgain,
	}
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

// ConfiguredWindow returns the window that the configuration sets for a model; its Tokens are 0 if it sets none.
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

// windows maps space-separated prefixes of the names of hosted models to their documented windows in tokens.
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

// windowByName is the documented window of a hosted model, 0 if its name is unknown. A maker in front of the last slash
// is ignored, and the longest matching prefix counts.
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

// serverSettings tells how to start a server with a given window, by the Source of the window that it reported.
var serverSettings = map[string]string{
	"llama.cpp's n_ctx":                 "llama-server -c %d",
	"vLLM's max_model_len":              "vllm serve --max-model-len %d",
	"Ollama's running context_length":   "OLLAMA_CONTEXT_LENGTH=%d ollama serve",
	"LM Studio's loaded context_length": "a context length of %d in LM Studio",
}

// ServerSetting tells how to start the server that reported this window with a window of so many tokens; "" if that is
// unknown.
func (w Window) ServerSetting(tokens int) string {
	if setting := serverSettings[w.Source]; setting != "" {
		return fmt.Sprintf(setting, tokens)
	}
	return ""
}
