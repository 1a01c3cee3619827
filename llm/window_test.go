package llm

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Each server states its window in its own place, and what a model was trained for is none.
func TestWindow(t *testing.T) {
	const at = "http://127.0.0.1:8080"
	list := func(entry string) string { return `{"data":[{"id":"other","max_model_len":1},` + entry + `]}` }
	trained := list(`{"id":"m","max_context_length":131072,"meta":{"n_ctx_train":131072}}`)
	for name, test := range map[string]struct {
		server      machine
		base, model string
		want        Window
	}{
		"llama.cpp": {
			machine{
				at + "/props":     `{"default_generation_settings":{"n_ctx":8192}}`,
				at + "/v1/models": list(`{"id":"m","meta":{"n_ctx":4096}}`),
			},
			at, "m",
			Window{Tokens: 8192, Source: "llama.cpp's n_ctx"},
		},
		"vLLM": {
			machine{at + "/v1/models": list(`{"id":"m","max_model_len":16384}`)},
			at, "m",
			Window{Tokens: 16384, Source: "the server's max_model_len"},
		},
		"Ollama running": {
			machine{
				at + "/v1/models": trained,
				at + "/api/ps": `{"models":[{"name":"x","context_length":9},{"name":"m:latest",` +
					`"context_length":4096}]}`,
			},
			at, "m",
			Window{Tokens: 4096, Source: "Ollama's running context_length"},
		},
		"Ollama not running": {
			machine{at + "/v1/models": trained, at + "/api/ps": `{"models":[]}`},
			at, "m",
			Window{Tokens: 4096, Source: "assumed: Ollama's default, until the model runs", Assumed: true, Again: true},
		},
		"LM Studio": {
			machine{
				at + "/v1/models": trained,
				at + "/api/v1/models": `{"models":[{"key":"m","loaded_instances":[{"id":"m",` +
					`"config":{"context_length":6000}}]}]}`,
			},
			at, "m",
			Window{Tokens: 6000, Source: "LM Studio's loaded context_length"},
		},
		"OpenRouter": {
			machine{
				"https://openrouter.ai/v1/models": list(`{"id":"a/m","context_length":200000,` +
					`"top_provider":{"context_length":65536}}`),
			},
			"https://openrouter.ai", "a/m",
			Window{Tokens: 65536, Source: "the server's top_provider.context_length"},
		},
		"Mistral": {
			machine{"https://api.mistral.ai/v1/models": list(`{"id":"models/m","max_context_length":32000}`)},
			"https://api.mistral.ai", "m",
			Window{Tokens: 32000, Source: "the server's max_context_length"},
		},
		"by name, behind a proxy on this machine": {
			machine{},
			at, "x/gpt-oss",
			Window{Tokens: 131_072, Source: "by name, from winnow's table of models", ByName: true},
		},
		"nobody, at a remote address": {
			machine{}, "https://x.example", "m", Window{Tokens: 128_000, Source: "assumed", Assumed: true},
		},
		"nobody, on this machine": {
			machine{at + "/v1/models": trained}, at, "m", Window{Tokens: 8192, Source: "assumed", Assumed: true},
		},
		"nobody, on this network": {
			machine{}, "http://10.0.0.2:8080", "m", Window{Tokens: 8192, Source: "assumed", Assumed: true},
		},
	} {
		c := NewClient(Endpoint{Name: "x", BaseURL: test.base + "/v1", Doer: test.server})
		stated, err := c.StatedWindow(t.Context(), test.model)
		got := WindowFacts{Model: test.model, Remote: !c.endpoint.Own(), Stated: stated}.Window()
		if err != nil || got != test.want {
			t.Errorf("%s: got %+v, %v; want %+v", name, got, err, test.want)
		}
	}
}

func TestWindowFactsInTheirOrder(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	say := func(tokens int, at time.Time) Window { return Window{Tokens: tokens, Source: "x", At: at} }
	for _, c := range []struct {
		what  string
		facts WindowFacts
		want  int
		over  bool // the server contradicts what the user set
	}{
		{"the server before the name", WindowFacts{Model: "gpt-4o", Stated: say(4096, day(1))}, 4096, false},
		{
			"the configuration before the name",
			WindowFacts{Model: "gpt-4o", Configured: say(64_000, day(1))},
			64_000, false,
		},
		{
			"the user before the configuration",
			WindowFacts{Configured: say(64_000, day(1)), Chosen: say(90_000, day(1))},
			90_000, false,
		},
		{
			"the server states less than was set",
			WindowFacts{Configured: say(40_960, day(1)), Stated: say(4096, day(1))},
			4096, true,
		},
		{
			"the server states more than was set",
			WindowFacts{Configured: say(2000, day(1)), Stated: say(4096, day(1))},
			2000, false,
		},
		{
			"a refusal older than the statement",
			WindowFacts{Stated: say(8192, day(2)), Refused: say(4096, day(1))},
			8192, false,
		},
		{
			"a refusal newer than the statement",
			WindowFacts{Stated: say(8192, day(1)), Refused: say(4096, day(2))},
			4096, false,
		},
		{"a refusal before the name", WindowFacts{Model: "gpt-4o", Refused: say(4096, day(1))}, 4096, false},
		{
			"a refusal below what the user set",
			WindowFacts{Chosen: say(9000, day(2)), Refused: say(4096, day(1))},
			4096, true,
		},
		{
			"the server runs what the user set",
			WindowFacts{Chosen: say(40_960, day(1)), Stated: Window{Tokens: 4096, Most: 131_072}},
			40_960, false,
		},
		{
			"no more than the model takes",
			WindowFacts{Configured: say(200_000, day(1)), Stated: Window{Tokens: 4096, Most: 131_072}},
			131_072, true,
		},
		{
			"it does not run yet",
			WindowFacts{Model: "gpt-4o", Stated: Window{Assumed: true, Most: 131_072}},
			4096,
			false,
		},
		{
			"it refused what the user set",
			WindowFacts{
				Chosen: say(16_384, day(1)), Stated: Window{Tokens: 16_384, Most: 131_072},
				Refused: say(8192, day(2)),
			},
			8192, true,
		},
	} {
		_, over := c.facts.Contradicted()
		if got := c.facts.Window(); got.Tokens != c.want || over != c.over {
			t.Errorf("%s: got %+v, contradicted %t; want %d, %t", c.what, got, over, c.want, c.over)
		}
	}
}

func TestWindowOfASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(
			Endpoint{BaseURL: "https://api.openai.com/v1", Doer: machine{"https://api.openai.com/v1/models": "hang"}},
		)
		start := time.Now()
		got, err := c.StatedWindow(t.Context(), "gpt-4o")
		if err != nil || got.Tokens != 0 || time.Since(start) != windowTime {
			t.Errorf("got %+v, %v after %v; want nothing after %v", got, err, time.Since(start), windowTime)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.StatedWindow(ctx, "gpt-4o"); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: got %v, want context.Canceled", err)
		}
	})
}

// A window is taken by how a model's name begins, the longest beginning first, whatever its maker.
func TestWindowByName(t *testing.T) {
	seen := map[string]bool{}
	for prefixes, tokens := range windows {
		for prefix := range strings.FieldsSeq(prefixes) {
			if got := byName("maker/" + strings.ToUpper(prefix) + ":free"); seen[prefix] || got != tokens {
				t.Errorf("%s: %d tokens, want %d once", prefix, got, tokens)
			}
			seen[prefix] = true
		}
	}
	if n := byName("gpt"); n != 0 {
		t.Errorf("an unknown name has %d tokens", n)
	}
}
