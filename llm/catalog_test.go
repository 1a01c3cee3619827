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

	"winnow/history"
	"winnow/llm/keys"
	"winnow/llm/pricing"
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
			got = append(got, strings.Join([]string{e.Name, e.BaseURL, e.KeyFrom.String(), e.Default}, " "))
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
		{[]Endpoint{openai, router}, "gpt-4o", `!there is no endpoint "gpt-4o"; write a model as ENDPOINT/MODEL, where ENDPOINT is one of openai, openrouter, ollama`},
		{[]Endpoint{router, openai}, "anthropic/claude-sonnet-4-5", `!there is no endpoint "anthropic"; set ANTHROPIC_API_KEY or run winnow keys set anthropic to use it`},
		{[]Endpoint{router, openai}, "olama/llama3", `!there is no endpoint "olama"; did you mean "ollama/llama3"?`},
		{[]Endpoint{router, openai}, "opnai", `!there is no endpoint "opnai"; did you mean "openai"?`},
		{nil, "opnai/x", `!there is no endpoint "opnai"; did you mean "openai/x"? It needs a key: set OPENAI_API_KEY or run winnow keys set openai`},
		{nil, "oai/x", `!there is no endpoint "oai"; did you mean "openai/x"? It needs a key: set OPENAI_API_KEY or run winnow keys set openai`},
		{nil, "gorq/x/y", `!there is no endpoint "gorq"; did you mean "groq/x/y"? It needs a key: set GROQ_API_KEY or run winnow keys set groq`},
		{nil, "xa/x", `!there is no endpoint "xa"; did you mean "xai/x"? It needs a key: set XAI_API_KEY or run winnow keys set xai`},
		{nil, "lms/x", `!there is no endpoint "lms"; did you mean "lmstudio/x"?`},
		{nil, "open/x", `!there is no endpoint "open"; did you mean "openai/x"?`}, // Nearer than openrouter.
		{nil, "or/x", `!there is no endpoint "or"; did you mean "openrouter/x"? It needs a key: set OPENROUTER_API_KEY or run winnow keys set openrouter`},
		{nil, "o/x", `!there is no endpoint "o"; write a model as ENDPOINT/MODEL`},
		{nil, "anthropic", `!there is no endpoint "anthropic"; set ANTHROPIC_API_KEY or run winnow keys set anthropic to use it`},
		{[]Endpoint{openai, router}, "openrouter", "!openrouter has no default model: name one as openrouter/MODEL"},
		{[]Endpoint{openai}, "ollama/llama3.2:3b", "ollama llama3.2:3b"},
		{[]Endpoint{{Name: "guide", Default: "guide"}}, "gpt-4o", `!there is no endpoint "gpt-4o"`},
		{[]Endpoint{openai}, " ", "!no model is named"},
		{nil, "x", `!there is no endpoint "x"`},
	}
	for _, test := range tests {
		client, model, err := new(Catalog).With(test.endpoints...).Resolve(test.ref)
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

// A name that is no endpoint's is looked up in one list of models, and taken for nothing else.
func TestFindTakesNothingForGranted(t *testing.T) {
	lists := machine{
		"https://openrouter.ai/api/v1/models": `{"data":[{"id":"anthropic/claude"},{"id":"big"}]}`,
		"http://box/v1/models":                `{"data":[{"id":"small"}]}`,
		"http://bare/v1/models":               "404 ",
	}
	router := Endpoint{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Key: testKey, Doer: lists}
	box := Endpoint{Name: "box", BaseURL: "http://box/v1", Doer: lists, BaseURLSet: true}
	bare := Endpoint{Name: "bare", BaseURL: "http://bare/v1", Doer: lists, BaseURLSet: true}
	down := Endpoint{Name: "down", BaseURL: "http://down/v1", Doer: lists}
	guide := Endpoint{Name: "guide", BaseURL: "http://guide/v1", Default: "guide"}
	tests := []struct {
		endpoints       []Endpoint
		ref, home, want string // a part of the sentence after !
	}{
		{[]Endpoint{box, router, guide}, "box/anything", "", "box/anything"},
		{[]Endpoint{box, router, guide}, "anthropic/claude", "", "openrouter/anthropic/claude"},
		{[]Endpoint{box, router, guide}, "small", "", `!there is no endpoint and no model "small", and openrouter lists no such model`},
		{[]Endpoint{box, router, guide}, "small", "box", "box/small"},
		{[]Endpoint{box, router, guide}, "bigg", "", `!did you mean "openrouter/big"?`},
		{[]Endpoint{box, router, guide}, "big", "guide", "openrouter/big"},
		{[]Endpoint{box, router, guide}, "bxo/large", "", `!there is no endpoint "bxo", and openrouter lists no such model as bxo/large; did you mean "box/large"?`},
		{[]Endpoint{down, guide}, "vendor/m", "", `!there is no endpoint "vendor"`},
		{[]Endpoint{down, guide}, "vendor/m", "", "!(write down/vendor/m if down has that model; its list cannot be read: "},
		{[]Endpoint{down, guide}, "big", "", "!connection refused"},
		{[]Endpoint{box, guide}, "unlisted", "", "box/unlisted"}, // The one address that the user named.
		{[]Endpoint{bare, guide}, "unlisted", "", "bare/unlisted"},
		{[]Endpoint{bare, guide}, "olama", "", "!there is no endpoint"}, // It may be another place's name.
		{[]Endpoint{bare, guide}, "vendor/unlisted", "", "!write bare/vendor/unlisted"},
		{[]Endpoint{box, bare, guide}, "unlisted", "", "!box lists no such model"},
		{[]Endpoint{box, guide}, "box", "", "box/small"},
		{[]Endpoint{down, guide}, "down", "", "!down/MODEL names a model without asking"},
		{[]Endpoint{guide}, "big", "", `!there is no endpoint "big"`},
	}
	for _, test := range tests {
		got, err := new(Catalog).With(test.endpoints...).Find(t.Context(), test.ref, test.home)
		if want, fails := strings.CutPrefix(test.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q at %q: got %q, %v; want %q", test.ref, test.home, got, err, want)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%q at %q: got %q, %v; want %q", test.ref, test.home, got, err, test.want)
		}
	}
}

func TestCurrentIsTheNearestOfTheList(t *testing.T) {
	list := func(ids ...string) []Model {
		var models []Model
		for _, id := range ids {
			models = append(models, Model{ID: id})
		}
		return models
	}
	tests := []struct {
		model string
		list  []Model
		want  string
	}{
		{"gpt-5.2", list("gpt-4o", "gpt-5.2"), "gpt-5.2"},
		{"deepseek-chat", list("deepseek-v4-pro", "deepseek-v4-flash", "other"), "deepseek-v4-pro"},
		{"claude-sonnet-4-5", list("claude-opus-5", "claude-sonnet-5", "claude-haiku-5"), "claude-sonnet-5"},
		{"gpt-5.2", list("text-embedding-9", "gpt-6"), "gpt-6"},
		{"gpt-5.2", list("text-embedding-9"), ""},
		{"gpt-5.2", nil, ""},
	}
	for _, test := range tests {
		got, ok := Current(test.model, test.list)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s: got %q, %v; want %q", test.model, got, ok, test.want)
		}
	}
}

func TestCatalogKeepsWhatAClientLearned(t *testing.T) {
	c := new(Catalog).With(Endpoint{Name: "a", BaseURL: "http://a/v1"}, Endpoint{Name: "a", BaseURL: "http://second/v1"})
	first, _, _ := c.Resolve("a/m")
	first.Learn("m", Learned{NoStreamOptions: true})
	again, _, _ := c.Resolve("a/m")
	if !again.Known("m").NoStreamOptions || again.Endpoint().BaseURL != "http://a/v1" {
		t.Errorf("got %+v at %s, want what was learned at the first endpoint of the name", again.Known("m"), again.Endpoint().BaseURL)
	}
	c.Add(Endpoint{Name: "a", BaseURL: "http://third/v1"})
	if e := c.Endpoints(); len(e) != 1 || e[0].BaseURL != "http://third/v1" {
		t.Errorf("got %v after Add, want the new one in its place", e)
	}
}

func TestCatalogListsAllModelsAndErrors(t *testing.T) {
	m := machine{"http://a/v1/models": `{"data":[{"id":"x"},{"id":"y/z"},{"id":""}]}`, "http://b/v1/models": `[{"id":"w"}]`, "http://d/v1/models": `<html>`}
	c := new(Catalog).With(Endpoint{Name: "a", BaseURL: "http://a/v1", Doer: m}, Endpoint{Name: "b", BaseURL: "http://b/v1", Doer: m}, Endpoint{Name: "c", BaseURL: "http://c/v1", Doer: m}, Endpoint{Name: "d", BaseURL: "http://d/v1", Doer: m})
	models, failed := c.Models(t.Context())
	var refs []string
	for _, model := range models {
		refs = append(refs, model.Ref())
	}
	wantText(t, "models", strings.Join(refs, " "), "a/x a/y/z b/w")
	if len(failed) != 2 || !errors.Is(failed["c"], Refused) || !errors.Is(failed["d"], BadStream) {
		t.Errorf("got errors %v, want c refused and d no API", failed)
	}
}

func TestLocalServersAreAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := machine{
			"http://127.0.0.1:11434/v1/models": `{"object":"list","data":[{"id":"nomic-embed-text:latest"}]}`,
			"http://127.0.0.1:8080/v1/models":  `<html>a web server of somebody's</html>`,
			"http://127.0.0.1:1234/v1/models":  `hang`,
			"http://127.0.0.1:8000/v1/models":  `{"data":[{"id":"nomic-embed-text"},{"id":"qwen"}]}`,
		}
		start := time.Now()
		got, err := Choose(t.Context(), new(Catalog), Preference{Local: true, Doer: m})
		if err != nil || got.Ref != "vllm/qwen" || !strings.HasSuffix(got.Reason, "(ollama has no model to chat with yet)") {
			t.Errorf("got %+v, %v; want the first model to chat with", got, err)
		}
		if took := time.Since(start); took != 150*time.Millisecond {
			t.Errorf("took %v, want the 150 ms of the one that hangs", took)
		}
	})
}

func TestChooseFollowsTheOrder(t *testing.T) {
	guide := Endpoint{Name: "guide", BaseURL: "http://guide/v1", Default: "guide", Window: 4096}
	keyed := Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Key: testKey, KeyFrom: keys.Origin{Kind: keys.Variable, Name: "OPENAI_API_KEY"}, Default: "gpt-5.2"}
	ollama := machine{"http://127.0.0.1:11434/v1/models": `{"data":[{"id":"llama3.2:3b"}]}`}
	proxy := machine{"https://proxy.example/v1/models": `{"data":[{"id":"text-embedding-3"},{"id":"big"}]}`}
	asks := func(d Doer) Endpoint {
		return Endpoint{Name: "openai", BaseURL: "https://proxy.example/v1", Key: testKey, KeyFrom: keys.Origin{Kind: keys.Variable, Name: "OPENAI_API_KEY"}, Doer: d}
	}
	tests := []struct {
		name        string
		want        string
		endpoints   []Endpoint
		local       machine // nil does not look
		ref, reason string  // no ref is an error with why in it
		closed      string  // a part of the reason why no model is chosen
	}{
		{"what is named goes first", "guide", []Endpoint{keyed, guide}, ollama, "guide/guide", "because you named it", ""},
		{"what is named and unknown", "nowhere/x", nil, machine{}, "", `there is no endpoint "nowhere"`, ""},
		{"a name without an endpoint is not looked for on this machine", "llama3.2:3b", []Endpoint{guide}, ollama, "", `there is no endpoint "llama3.2:3b"`, ""},
		{"a named endpoint without a default", "openai", []Endpoint{asks(proxy)}, nil, "openai/big", "because you named it", ""},
		{"then a key", "", []Endpoint{keyed, guide}, ollama, "openai/gpt-5.2", "because OPENAI_API_KEY is set", ""},
		{"a key elsewhere", "", []Endpoint{asks(proxy), guide}, ollama, "openai/big", "because OPENAI_API_KEY is set", ""},
		{"a key of the config", "", []Endpoint{{Name: "mine", BaseURL: "http://x/v1", Key: "kkkkkk", KeyFrom: keys.Origin{Kind: keys.Config}, Default: "m"}}, nil, "mine/m", "because mine is configured", ""},
		{"a stored key opens its service", "", []Endpoint{guide, {Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyFrom: keys.Origin{Kind: keys.Keyring}, Default: "m"}}, nil, "groq/m", "because a key of groq is stored", ""},
		{"a stored key of a configured endpoint", "", []Endpoint{{Name: "mine", BaseURL: "http://x/v1", BaseURLSet: true, KeyFrom: keys.Origin{Kind: keys.File, Name: "k"}, Default: "m"}}, nil, "mine/m", "because mine is configured", ""},
		{"a key whose server is down stays chosen", "", []Endpoint{asks(machine{}), guide}, ollama, "openai", "because OPENAI_API_KEY is set", "connection refused"},
		{"a configured endpoint that is down stays chosen", "", []Endpoint{{Name: "box", BaseURL: "http://box/v1", Doer: machine{}}, guide}, ollama, "box", "because box is configured", "connection refused"},
		{"then a local server", "", []Endpoint{guide}, ollama, "ollama/llama3.2:3b", "because a server answers at http://127.0.0.1:11434", ""},
		{"a configured endpoint before the default ports", "", []Endpoint{guide, {Name: "box", BaseURL: "http://box/v1", Doer: machine{"http://box/v1/models": `{"data":[{"id":"m"}]}`}}}, ollama, "box/m", "because box is configured", ""},
		{"a local server without a model", "", []Endpoint{guide}, machine{"http://127.0.0.1:11434/v1/models": `{"data":[]}`}, "guide/guide", "because no API key is set and no local server answers (ollama has no model to chat with yet)", ""},
		{"then the guide", "", []Endpoint{guide}, machine{}, "guide/guide", "because no API key is set and no local server answers", ""},
		{"nobody reads the choice", "", []Endpoint{guide}, nil, "", "no model is named or configured", ""},
		{"nothing at all", "", nil, machine{}, "", "no model is available; to chat with a language model, set OPENAI_API_KEY", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := new(Catalog).With(test.endpoints...)
			got, err := Choose(t.Context(), c, Preference{Ref: test.want, Local: test.local != nil, Doer: test.local})
			if test.ref == "" {
				if err == nil || !strings.Contains(err.Error(), test.reason) {
					t.Errorf("got %+v, %v; want an error with %q", got, err, test.reason)
				}
				return
			}
			if err != nil {
				t.Fatalf("Choose: %v", err)
			}
			wantText(t, "choice", got.Ref+": "+got.Reason, test.ref+": "+test.reason)
			if got.Hint == "" {
				t.Error("it is not said how to choose another")
			}
			if test.closed != "" {
				if got.Closed == nil || !strings.Contains(got.Closed.Error(), test.closed) {
					t.Errorf("closed: got %v, want %q", got.Closed, test.closed)
				}
				return
			}
			if _, _, err := c.Resolve(got.Ref); err != nil || got.Closed != nil {
				t.Errorf("the choice cannot be resolved: %v, %v", err, got.Closed)
			}
			noKey(t, "the choice", fmt.Sprint(got))
		})
	}
}

// A client without an endpoint fails every request by itself.
func TestAClosedClientSendsNothing(t *testing.T) {
	c := NewClosedClient("gone", errors.New("there is no endpoint gone"))
	for _, err := range c.Stream(t.Context(), Request{Model: "m", Messages: []history.Message{{Role: history.User, Content: "secret"}}}) {
		if err == nil || !strings.Contains(err.Error(), "there is no endpoint gone") {
			t.Errorf("got %v, want the reason", err)
		}
	}
	if _, err := c.CountRequest(t.Context(), Request{Model: "m"}); err == nil {
		t.Error("a closed client counted a request")
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
		{"the table", machine{"https://api.openai.com/v1/models": `{"data":[{"id":"gpt-4o-mini"}]}`}, "https://api.openai.com", "gpt-4o-mini", 128000, "by name, from winnow's table of models", false},
		{"the table without the server", machine{}, "https://api.openai.com", "gpt-4.1", 1047576, "by name, from winnow's table of models", false},
		{"the table, behind a proxy on this machine", machine{}, at, "gpt-oss", 131_072, "by name, from winnow's table of models", false},
		{"nobody says", machine{}, "https://x.example", "m", 8192, "assumed", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := NewClient(Endpoint{Name: "x", BaseURL: test.base + "/v1", Doer: test.server})
			stated, err := c.StatedWindow(t.Context(), test.model)
			got := WindowFacts{Model: test.model, Stated: stated}.Window()
			want := Window{
				Tokens: test.tokens, Source: test.source, Assumed: test.assumed,
				ByName: strings.HasPrefix(test.source, "by name"), Again: strings.HasSuffix(test.source, "until the model runs"),
			}
			if err != nil || got != want {
				t.Errorf("got %+v, %v; want %+v", got, err, want)
			}
		})
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
		{"nothing", WindowFacts{Model: "m"}, 8192, false},
		{"the name", WindowFacts{Model: "gpt-4o-mini"}, 128_000, false},
		{"the server before the name", WindowFacts{Model: "gpt-4o", Stated: say(4096, day(1))}, 4096, false},
		{"the configuration before the name", WindowFacts{Model: "gpt-4o", Configured: say(64_000, time.Time{})}, 64_000, false},
		{"the user before the configuration", WindowFacts{Configured: say(64_000, time.Time{}), Chosen: say(90_000, day(1))}, 90_000, false},
		{"the server states less than the configuration", WindowFacts{Configured: say(40_960, time.Time{}), Stated: say(4096, day(1))}, 4096, true},
		{"the server states more than the configuration", WindowFacts{Configured: say(2000, time.Time{}), Stated: say(4096, day(1))}, 2000, false},
		{"a refusal older than the statement", WindowFacts{Stated: say(8192, day(2)), Refused: say(4096, day(1))}, 8192, false},
		{"a refusal newer than the statement", WindowFacts{Stated: say(8192, day(1)), Refused: say(4096, day(2))}, 4096, false},
		{"a refusal alone", WindowFacts{Model: "gpt-4o", Refused: say(4096, day(1))}, 4096, false},
		{"the server runs what the user set", WindowFacts{Chosen: say(40_960, day(1)), Stated: Window{Tokens: 4096, Most: 131_072}}, 40_960, false},
		{"and no more than the model takes", WindowFacts{Configured: say(200_000, time.Time{}), Stated: Window{Tokens: 4096, Most: 131_072}}, 131_072, true},
		{"it runs, and the user set nothing", WindowFacts{Stated: Window{Tokens: 4096, Most: 131_072}}, 4096, false},
		{"it does not run yet", WindowFacts{Model: "gpt-4o", Stated: Window{Assumed: true, Most: 131_072}}, 4096, false},
		{"it does not run yet, and the user set one", WindowFacts{Chosen: say(16_384, day(1)), Stated: Window{Assumed: true, Most: 131_072}}, 16_384, false},
		{"it refused what the user set", WindowFacts{Chosen: say(16_384, day(1)), Stated: Window{Tokens: 16_384, Most: 131_072}, Refused: say(8192, day(2))}, 8192, true},
		{"a refusal below what the user set", WindowFacts{Chosen: say(9000, day(2)), Refused: say(4096, day(1))}, 4096, true},
	} {
		if got := c.facts.Window(); got.Tokens != c.want {
			t.Errorf("%s: got %+v, want %d", c.what, got, c.want)
		}
		if _, over := c.facts.Contradicted(); over != c.over {
			t.Errorf("%s: contradicted is %t, want %t", c.what, over, c.over)
		}
	}
	e := Endpoint{Window: 500, Models: []ModelSettings{{Match: ExactModel("", "big"), Window: 9000}}}
	if got := [2]int{e.ConfiguredWindow("big:latest").Tokens, e.ConfiguredWindow("m").Tokens}; got != [2]int{9000, 500} {
		t.Errorf("configured: got %v, want 9000 for big and 500 for the others", got)
	}
}

// A server that counts its cached tokens beside the prompt's is known for it when it has shown it twice in a row.
func TestCachedTokensBesideThePromptAreAdded(t *testing.T) {
	c := NewClient(Endpoint{Name: "x"})
	for _, s := range []struct{ prompt, cached, want int }{
		{900, 500, 900},
		{300, 3000, 300},
		{900, 500, 900},
		{300, 3000, 300},
		{900, 0, 900},
		{300, 3000, 3300},
		{900, 500, 1400},
		{-1, 500, -1},
		{900, -1, 900},
	} {
		u := pricing.NoUsage()
		u.Prompt, u.Cached = s.prompt, s.cached
		if got := c.withCached("m", u).Prompt; got != s.want {
			t.Errorf("%d tokens, %d cached: got %d, want %d", s.prompt, s.cached, got, s.want)
		}
	}
}

func TestWindowOfASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(Endpoint{BaseURL: "https://api.openai.com/v1", Doer: machine{"https://api.openai.com/v1/models": "hang"}})
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

func TestWindowTableHasNoDoubles(t *testing.T) {
	var seen []string
	for _, w := range windows {
		if slices.Contains(seen, w.prefix) || w.tokens < 4096 {
			t.Errorf("%s with %d tokens", w.prefix, w.tokens)
		}
		seen = append(seen, w.prefix)
	}
}
