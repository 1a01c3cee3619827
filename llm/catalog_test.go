package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// machine is a computer on which a server may listen at each address. An answer is a body, with
// "404 " or "hang" before it where it is not a good one; no answer is a refused connection.
type machine map[string]string

func (m machine) Do(req *http.Request) (*http.Response, error) {
	url := req.URL.Scheme + "://" + req.URL.Host
	body, ok := m[url+req.URL.Path]
	if !ok {
		for address := range m {
			if strings.HasPrefix(address, url+"/") {
				body, ok = "404 ", true
			}
		}
	}
	if !ok {
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	if body == "hang" {
		<-req.Context().Done()
		return nil, req.Context().Err()
	}
	status := 200
	if rest, failed := strings.CutPrefix(body, "404 "); failed {
		status, body = 404, rest
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestFromEnv(t *testing.T) {
	tests := []struct {
		name string
		env  []string
		want string // name, base URL, where the key is from and default of each
	}{
		{"nothing", nil, ""},
		{"OpenAI", []string{"OPENAI_API_KEY", " k1 "}, "openai https://api.openai.com/v1 OPENAI_API_KEY gpt-5.2"},
		{"OpenAI elsewhere", []string{"OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://proxy.example/v1/"}, "openai https://proxy.example/v1 OPENAI_API_KEY "},
		{"elsewhere without a key", []string{"OPENAI_BASE_URL", "localhost:9000"}, "openai http://localhost:9000/v1  "},
		{"a whole path", []string{"OPENAI_BASE_URL", "http://10.0.0.2/api/chat/completions"}, "openai http://10.0.0.2/api  "},
		{"many, in the order of preference", []string{"XAI_API_KEY", "k", "OPENROUTER_API_KEY", "k", "GOOGLE_API_KEY", "k"}, "openrouter https://openrouter.ai/api/v1 OPENROUTER_API_KEY openrouter/auto; gemini https://generativelanguage.googleapis.com/v1beta/openai GOOGLE_API_KEY gemini-flash-latest; xai https://api.x.ai/v1 XAI_API_KEY grok-4"},
		{"Ollama listens everywhere", []string{"OLLAMA_HOST", "0.0.0.0"}, "ollama http://127.0.0.1:11434/v1  "},
		{"Ollama at a port", []string{"OLLAMA_HOST", ":9999"}, "ollama http://127.0.0.1:9999/v1  "},
		{"Ollama at a URL", []string{"OLLAMA_HOST", "https://box.lan/"}, "ollama https://box.lan:443/v1  "},
		{"Ollama by IPv6", []string{"OLLAMA_HOST", "[::1]:1234"}, "ollama http://[::1]:1234/v1  "},
	}
	for _, test := range tests {
		var got []string
		for _, e := range FromEnv(env(test.env...)) {
			got = append(got, strings.Join([]string{e.Name, e.BaseURL, e.KeyFrom, e.Default}, " "))
		}
		wantText(t, test.name, strings.Join(got, "; "), test.want)
	}
}

func TestResolve(t *testing.T) {
	openai := Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Default: "gpt-5.2"}
	router := Endpoint{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1"}
	tests := []struct {
		endpoints []Endpoint
		ref, want string // the endpoint and the model, or a part of the sentence after !
	}{
		{[]Endpoint{openai, router}, "openai/gpt-4o", "openai gpt-4o"},
		{[]Endpoint{openai, router}, "OpenAI", "openai gpt-5.2"},
		{[]Endpoint{openai, router}, "openrouter/openai/gpt-4o", "openrouter openai/gpt-4o"},
		{[]Endpoint{openai, router}, "gpt-4o", "openai gpt-4o"},
		{[]Endpoint{router, openai}, "anthropic/claude-sonnet-4-5", "openrouter anthropic/claude-sonnet-4-5"},
		{[]Endpoint{openai, router}, "openrouter", "!openrouter has no default model: name one as openrouter/MODEL"},
		{[]Endpoint{openai, router}, "anthropic/claude", "!there is no endpoint anthropic: set ANTHROPIC_API_KEY, or choose from openai, openrouter"},
		{[]Endpoint{openai}, "ollama/llama3.2:3b", "ollama llama3.2:3b"},
		{[]Endpoint{{Name: "guide", Default: "guide"}, openai}, "gpt-4o", "openai gpt-4o"},
		{[]Endpoint{{Name: "guide", Default: "guide"}}, "openai/gpt-4o", "!there is no server for the model openai/gpt-4o: set a key"},
		{[]Endpoint{openai}, " ", "!no model is named"},
		{nil, "x", "!there is no server to ask"},
	}
	for _, test := range tests {
		client, model, err := NewCatalog(test.endpoints...).Resolve(test.ref)
		if want, fails := strings.CutPrefix(test.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %q", test.ref, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.ref, err)
			continue
		}
		wantText(t, test.ref, client.Endpoint().Name+" "+model, test.want)
	}
}

func TestCatalogKeepsWhatAClientLearned(t *testing.T) {
	c := NewCatalog(Endpoint{Name: "a", BaseURL: "http://a/v1"}, Endpoint{Name: "a", BaseURL: "http://second/v1"})
	first, _, _ := c.Resolve("a/m")
	first.Learn("no-stream-options")
	again, _, _ := c.Resolve("a/m")
	if len(again.Quirks()) != 1 || again.Endpoint().BaseURL != "http://a/v1" {
		t.Errorf("got quirks %v at %s, want one at the first endpoint of the name", again.Quirks(), again.Endpoint().BaseURL)
	}
	c.Add(Endpoint{Name: "a", BaseURL: "http://third/v1"})
	if e := c.Endpoints(); len(e) != 1 || e[0].BaseURL != "http://third/v1" {
		t.Errorf("got %v after Add, want the new one in its place", e)
	}
}

func TestCatalogListsAllModelsAndErrors(t *testing.T) {
	m := machine{"http://a/v1/models": `{"data":[{"id":"x"},{"id":"y/z"},{"id":""}]}`, "http://b/v1/models": `[{"id":"w"}]`, "http://d/v1/models": `<html>`}
	c := NewCatalog(Endpoint{Name: "a", BaseURL: "http://a/v1", Doer: m}, Endpoint{Name: "b", BaseURL: "http://b/v1", Doer: m}, Endpoint{Name: "c", BaseURL: "http://c/v1", Doer: m}, Endpoint{Name: "d", BaseURL: "http://d/v1", Doer: m})
	models, failed := c.Models(t.Context())
	var refs []string
	for _, model := range models {
		refs = append(refs, model.Ref())
	}
	wantText(t, "models", strings.Join(refs, " "), "a/x a/y/z b/w")
	if len(failed) != 2 || !errors.Is(failed["c"], ErrRefused) || !errors.Is(failed["d"], ErrBadStream) {
		t.Errorf("got errors %v, want c refused and d no API", failed)
	}
}

func TestProbeLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machine{
			"http://127.0.0.1:11434/v1/models": `{"object":"list","data":[{"id":"nomic-embed-text:latest"},{"id":"llama3.2:3b"}]}`,
			"http://127.0.0.1:8080/v1/models":  `<html>a web server of somebody's</html>`,
			"http://127.0.0.1:1234/v1/models":  `hang`,
			"http://127.0.0.1:8000/v1/models":  `{"data":[]}`,
		}
		start := time.Now()
		var got []string
		for _, e := range ProbeLocal(t.Context(), m, 0) {
			got = append(got, e.Name+" "+e.Default)
		}
		wantText(t, "found", strings.Join(got, ";"), "ollama llama3.2:3b;vllm ")
		if took := time.Since(start); took != 150*time.Millisecond {
			t.Errorf("took %v, want the 150 ms of the one that hangs", took)
		}
	})
}

func TestChooseFollowsTheOrder(t *testing.T) {
	guide := Endpoint{Name: "guide", BaseURL: "http://guide/v1", Default: "guide", Window: 4096}
	keyed := Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Key: testKey, KeyFrom: "OPENAI_API_KEY", Default: "gpt-5.2"}
	ollama := machine{"http://127.0.0.1:11434/v1/models": `{"data":[{"id":"llama3.2:3b"}]}`}
	proxy := machine{"https://proxy.example/v1/models": `{"data":[{"id":"text-embedding-3"},{"id":"big"}]}`}
	asks := func(d Doer) Endpoint {
		return Endpoint{Name: "openai", BaseURL: "https://proxy.example/v1", Key: testKey, KeyFrom: "OPENAI_API_KEY", Doer: d}
	}
	tests := []struct {
		name      string
		want      string
		endpoints []Endpoint
		probe     Probe
		ref, why  string // no ref is an error with why in it
	}{
		{"what is wanted goes first", "guide", []Endpoint{keyed, guide}, Probe{Doer: ollama}, "guide/guide", "because it was asked for"},
		{"what is wanted and unknown", "nowhere/x", nil, Probe{Doer: machine{}}, "", "there is no server to ask"},
		{"what is wanted of a server that runs here", "llama3.2:3b", []Endpoint{guide}, Probe{Doer: ollama}, "ollama/llama3.2:3b", "because it was asked for"},
		{"a wanted endpoint without a default", "openai", []Endpoint{asks(proxy)}, Probe{}, "openai/big", "because it was asked for"},
		{"then a key", "", []Endpoint{keyed, guide}, Probe{Doer: ollama}, "openai/gpt-5.2", "because OPENAI_API_KEY is set"},
		{"a key elsewhere", "", []Endpoint{asks(proxy), guide}, Probe{Doer: ollama}, "openai/big", "because OPENAI_API_KEY is set"},
		{"a key of the config", "", []Endpoint{{Name: "mine", BaseURL: "http://x/v1", Key: "kkkkkk", KeyFrom: "config", Default: "m"}}, Probe{}, "mine/m", "because mine is configured"},
		{"a key that helps nobody", "", []Endpoint{asks(machine{}), guide}, Probe{Doer: ollama}, "ollama/llama3.2:3b", "because a server answers at http://127.0.0.1:11434 (nothing answers at https://proxy.example (connection refused); is the server running?)"},
		{"then a local server", "", []Endpoint{guide}, Probe{Doer: ollama}, "ollama/llama3.2:3b", "because a server answers at http://127.0.0.1:11434"},
		{"an endpoint without a key before the default ports", "", []Endpoint{guide, {Name: "box", BaseURL: "http://box/v1"}}, Probe{Doer: machine{"http://box/v1/models": `{"data":[{"id":"m"}]}`, "http://127.0.0.1:11434/v1/models": `{"data":[{"id":"n"}]}`}}, "box/m", "because a server answers at http://box"},
		{"a local server without a model", "", []Endpoint{guide}, Probe{Doer: machine{"http://127.0.0.1:11434/v1/models": `{"data":[]}`}}, "guide/guide", "because no API key is set and no local server answers (ollama has no model to chat with yet)"},
		{"then the guide", "", []Endpoint{guide}, Probe{Doer: machine{}}, "guide/guide", "because no API key is set and no local server answers"},
		{"not looking", "", []Endpoint{guide}, Probe{Doer: ollama, Off: true}, "guide/guide", "because no API key is set and no local server answers"},
		{"nothing at all", "", nil, Probe{Doer: machine{}}, "", "there is no model to talk to; to talk to a language model, set OPENAI_API_KEY"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := NewCatalog(test.endpoints...)
			got, err := Choose(t.Context(), test.want, c, test.probe)
			if test.ref == "" {
				if err == nil || !strings.Contains(err.Error(), test.why) {
					t.Errorf("got %+v, %v; want an error with %q", got, err, test.why)
				}
				return
			}
			if err != nil {
				t.Fatalf("Choose: %v", err)
			}
			wantText(t, "choice", got.Ref+": "+got.Why, test.ref+": "+test.why)
			if got.How == "" {
				t.Error("it is not said how to choose another")
			}
			if _, _, err := c.Resolve(got.Ref); err != nil {
				t.Errorf("the choice cannot be resolved: %v", err)
			}
			noKey(t, "the choice", fmt.Sprint(got))
		})
	}
}

func TestWindow(t *testing.T) {
	const at = "http://127.0.0.1:8080"
	list := func(entry string) string { return `{"data":[{"id":"other","max_model_len":1},` + entry + `]}` }
	tests := []struct {
		name    string
		server  machine
		base    string
		model   string
		tokens  int
		source  string
		assumed bool
	}{
		{"llama.cpp props", machine{at + "/props": `{"default_generation_settings":{"n_ctx":8192}}`, at + "/v1/models": list(`{"id":"m","meta":{"n_ctx":4096,"n_ctx_train":131072}}`)}, at, "m", 8192, "llama.cpp's n_ctx", false},
		{"llama.cpp models, not as trained", machine{at + "/v1/models": list(`{"id":"m","meta":{"n_ctx":4096,"n_ctx_train":131072}}`)}, at, "m", 4096, "the server's meta.n_ctx", false},
		{"llama.cpp says only how it was trained", machine{at + "/v1/models": list(`{"id":"m","meta":{"n_ctx_train":131072}}`)}, at, "m", 8192, "assumed", true},
		{"vLLM", machine{at + "/v1/models": list(`{"id":"m","max_model_len":16384}`)}, at, "m", 16384, "the server's max_model_len", false},
		{"Ollama running", machine{at + "/v1/models": list(`{"id":"m:latest"}`), at + "/api/ps": `{"models":[{"name":"x","context_length":9},{"name":"m:latest","model":"m:latest","context_length":4096}]}`}, at, "m", 4096, "Ollama's running context_length", false},
		{"Ollama not running", machine{at + "/v1/models": list(`{"id":"llama-3.1"}`), at + "/api/ps": `{"models":[]}`}, at, "llama-3.1", 4096, "assumed: Ollama's default, until the model runs", true},
		{"LM Studio loaded, not the most", machine{at + "/v1/models": list(`{"id":"m","max_context_length":131072}`), at + "/api/v1/models": `{"models":[{"key":"m","max_context_length":131072,"loaded_instances":[{"id":"m","config":{"context_length":6000}}]}]}`}, at, "m", 6000, "LM Studio's loaded context_length", false},
		{"OpenRouter", machine{"https://openrouter.ai/api/v1/models": list(`{"id":"a/m","context_length":200000,"top_provider":{"context_length":65536}}`)}, "https://openrouter.ai/api", "a/m", 65536, "the server's top_provider.context_length", false},
		{"Groq", machine{"https://api.groq.com/v1/models": list(`{"id":"m","context_window":32768}`)}, "https://api.groq.com", "m", 32768, "the server's context_window", false},
		{"Mistral", machine{"https://api.mistral.ai/v1/models": list(`{"id":"m","max_context_length":32000}`)}, "https://api.mistral.ai", "m", 32000, "the server's max_context_length", false},
		{"Gemini's names", machine{"https://g.example/v1/models": list(`{"id":"models/m","context_length":5}`)}, "https://g.example", "m", 5, "the server's context_length", false},
		{"the table", machine{"https://api.openai.com/v1/models": `{"data":[{"id":"gpt-4o-mini"}]}`}, "https://api.openai.com", "gpt-4o-mini", 128000, "winnow's table of hosted models", false},
		{"the table without the server", machine{}, "https://api.openai.com", "gpt-4.1", 1047576, "winnow's table of hosted models", false},
		{"the table is not for local servers", machine{}, at, "gpt-oss", 8192, "assumed", true},
		{"nobody says", machine{}, "https://x.example", "m", 8192, "assumed", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := NewClient(Endpoint{Name: "x", BaseURL: test.base + "/v1", Doer: test.server})
			got, err := c.Window(t.Context(), test.model)
			if want := (Window{test.tokens, test.source, test.assumed, strings.HasSuffix(test.source, "until the model runs")}); err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
	}
	configured := NewClient(Endpoint{Window: 500, BaseURL: at + "/v1", Doer: machine{}})
	if got, err := configured.Window(t.Context(), "m"); err != nil || got != (Window{Tokens: 500, Source: "the configuration"}) {
		t.Errorf("configured: got %+v, %v; want 500 of the configuration", got, err)
	}
}

func TestWindowOfASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(Endpoint{BaseURL: "https://api.openai.com/v1", Doer: machine{"https://api.openai.com/v1/models": "hang"}})
		start := time.Now()
		got, err := c.Window(t.Context(), "gpt-4o")
		if err != nil || got.Tokens != 128000 || time.Since(start) != windowTime {
			t.Errorf("got %+v, %v after %v; want the table after %v", got, err, time.Since(start), windowTime)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Window(ctx, "gpt-4o"); !errors.Is(err, context.Canceled) {
			t.Errorf("stopped: got %v, want context.Canceled", err)
		}
	})
}

func TestWindowTableHasNoDoubles(t *testing.T) {
	var seen []string
	for _, w := range windows {
		if slices.Contains(seen, w.prefix) || w.tokens < 4096 {
			t.Errorf("%s with %d tokens", w.prefix, w.tokens)
		}
		seen = append(seen, w.prefix)
	}
}
