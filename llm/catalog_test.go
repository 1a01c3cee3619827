package llm

import (
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"winnow/llm/keys"
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
	for want, set := range map[string][]string{ // name, base URL, where the key is from and default of each
		"": nil,
		"openai https://api.openai.com/v1 OPENAI_API_KEY gpt-5.2": {"OPENAI_API_KEY", " k1 "},
		"openai https://proxy.example/v1 OPENAI_API_KEY ":         {"OPENAI_API_KEY", "k", "OPENAI_BASE_URL", "https://proxy.example/v1/"},
		"openai http://10.0.0.2/api  ":                            {"OPENAI_BASE_URL", "10.0.0.2/api/chat/completions"},
		"gemini https://generativelanguage.googleapis.com/v1beta/openai GOOGLE_API_KEY gemini-flash-latest; " +
			"xai https://api.x.ai/v1 XAI_API_KEY grok-4": {"XAI_API_KEY", "k", "GOOGLE_API_KEY", "k"}, // in the order of preference
		"ollama http://127.0.0.1:11434/v1  ": {"OLLAMA_HOST", "0.0.0.0"}, // It listens everywhere.
		"ollama http://127.0.0.1:9999/v1  ":  {"OLLAMA_HOST", ":9999"},
		"ollama https://box.lan:443/v1  ":    {"OLLAMA_HOST", "https://box.lan/"},
		"ollama http://[::1]:1234/v1  ":      {"OLLAMA_HOST", "[::1]:1234"},
	} {
		var got []string
		for _, e := range FromEnv(env(set...)) {
			got = append(got, strings.Join([]string{e.Name, e.BaseURL, e.KeyFrom.String(), e.Default}, " "))
		}
		wantText(t, strings.Join(set, " "), strings.Join(got, "; "), want)
	}
}

func TestResolve(t *testing.T) {
	openai := Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1", Default: "gpt-5.2"}
	router := Endpoint{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1"}
	c := new(Catalog).With(openai, router)
	for ref, want := range map[string]string{ // the endpoint and the model, or a part of the sentence after !
		"openai/gpt-4o":            "openai gpt-4o",
		"OpenAI":                   "openai gpt-5.2",
		"openrouter/openai/gpt-4o": "openrouter openai/gpt-4o",
		"ollama/llama3.2:3b":       "ollama llama3.2:3b",
		"openrouter":               "!openrouter has no default model: name one as openrouter/MODEL",
		" ":                        "!no model is named",
		"gpt-4o":                   `!there is no endpoint "gpt-4o"; write a model as ENDPOINT/MODEL`,
		"anthropic/claude":         `!there is no endpoint "anthropic"; set ANTHROPIC_API_KEY or run winnow keys set anthropic to use it`,
		"olama/llama3":             `!there is no endpoint "olama"; did you mean "ollama/llama3"?`,
		"opnai":                    `!there is no endpoint "opnai"; did you mean "openai"?`,
		"gorq/x/y":                 `!there is no endpoint "gorq"; did you mean "groq/x/y"?`,
	} {
		client, model, err := c.Resolve(ref)
		if wrong, fails := strings.CutPrefix(want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%q: got %v, want %q", ref, err, wrong)
			}
		} else if err != nil || client.Endpoint().Name+" "+model != want {
			t.Errorf("%q: got %s, %v; want %s", ref, model, err, want)
		}
	}
}

// A name that is no endpoint's is looked up in one list of models, and taken for nothing else.
func TestFindTakesNothingForGranted(t *testing.T) {
	lists := machine{
		"https://openrouter.ai/api/v1/models": `{"data":[{"id":"anthropic/claude"},{"id":"big"}]}`,
		"http://box/v1/models":                `{"data":[{"id":"small"}]}`,
	}
	router := Endpoint{Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", Key: testKey, Doer: lists}
	box := Endpoint{Name: "box", BaseURL: "http://box/v1", Doer: lists}
	down := Endpoint{Name: "down", BaseURL: "http://down/v1", Doer: lists}
	guide := Endpoint{Name: "guide", BaseURL: "http://guide/v1", Default: "guide"}
	for _, test := range []struct {
		endpoints       []Endpoint
		ref, home, want string // a part of the sentence after !
	}{
		{[]Endpoint{box, router, guide}, "box/anything", "", "box/anything"},
		{[]Endpoint{box, router, guide}, "anthropic/claude", "", "openrouter/anthropic/claude"},
		{[]Endpoint{box, router, guide}, "small", "", `!there is no endpoint "small", and openrouter lists no model "small"; write a model as`},
		{[]Endpoint{box, router, guide}, "small", "box", "box/small"},
		{[]Endpoint{box, router, guide}, "bigg", "", `!did you mean "big"?`},
		{[]Endpoint{box, router, guide}, "big", "guide", "openrouter/big"},
		{[]Endpoint{box, router, guide}, "bxo/large", "", `!and openrouter lists no model "bxo/large"; did you mean "box/large"?`},
		{[]Endpoint{down, guide}, "vendor/m", "", `!there is no endpoint "vendor"`},
		{[]Endpoint{down, guide}, "vendor/m", "", "!(write down/vendor/m if down has that model; its list cannot be read: "},
		{[]Endpoint{box, guide}, "box", "", "box/small"},
		{[]Endpoint{down, guide}, "down", "", "!down/MODEL names a model without asking"},
		{[]Endpoint{guide}, "big", "", `!there is no endpoint "big"`},
	} {
		got, err := new(Catalog).With(test.endpoints...).Find(t.Context(), test.ref, test.home)
		if want, fails := strings.CutPrefix(test.want, "!"); fails {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q at %q: got %q, %v; want %q", test.ref, test.home, got, err, want)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%q at %q: got %q, %v; want %q", test.ref, test.home, got, err, test.want)
		}
	}
}

func TestCatalogListsAllModelsAndErrors(t *testing.T) {
	c := (&Catalog{Network: machine{
		"http://a/v1/models": `{"data":[{"id":"x"},{"id":"y/z"},{"id":""}]}`, "http://b/v1/models": `[{"id":"w"}]`, "http://d/v1/models": `<html>`,
	}}).With(Endpoint{Name: "a", BaseURL: "http://a"}, Endpoint{Name: "b", BaseURL: "http://b"}, Endpoint{Name: "c", BaseURL: "http://c"}, Endpoint{Name: "d", BaseURL: "http://d"})
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

// onlyHere answers at the default port of Ollama alone. It fails a test that asks anything but this machine, or sends
// a key.
type onlyHere struct{ t *testing.T }

func (h onlyHere) Do(req *http.Request) (*http.Response, error) {
	if !(Endpoint{BaseURL: req.URL.String()}).loopback() || req.Header.Get("Authorization") != "" {
		h.t.Errorf("%s was asked, with the key %q", req.URL, req.Header.Get("Authorization"))
	}
	return machine{"http://127.0.0.1:11434/v1/models": `{"data":[{"id":"qwen3:14b"},{"id":"nomic-embed-text"}]}`}.Do(req)
}

func TestOffersAreWhatTheCatalogLacks(t *testing.T) {
	c := (&Catalog{Network: onlyHere{t}, Probes: true}).With(Endpoint{Name: "openai", BaseURL: "https://api.openai.com/v1"})
	c.Stored = func(e Endpoint) Endpoint { e.Key = testKey; return e }
	offers, models := c.Offers(t.Context())
	if len(models) != 1 || models[0].Ref() != "ollama/qwen3:14b" {
		t.Errorf("found %+v, want the model to chat with of the server that runs", models)
	}
	var names []string
	for _, o := range offers {
		names = append(names, o.Title+" at "+o.Host)
	}
	for name, want := range map[string]bool{
		"OpenAI at api.openai.com": false, "Ollama at 127.0.0.1:11434": false,
		"Google Gemini at generativelanguage.googleapis.com": true, "LM Studio at 127.0.0.1:1234": true,
	} {
		if slices.Contains(names, name) != want {
			t.Errorf("%s is offered: %v, want %v; all: %s", name, !want, want, strings.Join(names, ", "))
		}
	}
	c.Probes = false
	if offers, models := c.Offers(t.Context()); len(offers) != 9 || models != nil {
		t.Errorf("without leave: %d providers and %d models, want the hosted services alone", len(offers), len(models))
	}
}

// takesKey is a hosted service that takes one key.
type takesKey struct{ key string }

func (k takesKey) Do(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "Bearer "+k.key {
		return &http.Response{
			StatusCode: http.StatusUnauthorized, Header: http.Header{}, Request: req,
			Body: io.NopCloser(strings.NewReader(`{"error":{"message":"Incorrect API key provided"}}`)),
		}, nil
	}
	return machine{"https://api.groq.com/openai/v1/models": `{"data":[{"id":"qwen3"}]}`}.Do(req)
}

func TestAServiceIsAddedWithAKeyThatItTakes(t *testing.T) {
	c := (&Catalog{Network: takesKey{"gsk-right-0000"}}).With()
	_, err := c.AddService(t.Context(), "groq", "gsk-wrong-0000", keys.Origin{})
	if !errors.Is(err, Auth) || len(c.Endpoints()) != 0 {
		t.Errorf("with a wrong key: %v and %d endpoints, want a refusal and none", err, len(c.Endpoints()))
	}
	first, err := c.AddService(t.Context(), "groq", "gsk-right-0000", keys.Origin{Kind: keys.Keyring})
	models, failed := c.Models(t.Context())
	if err != nil || len(failed) != 0 || len(models) != 1 || models[0].Ref() != "groq/qwen3" {
		t.Errorf("with the right key: %v, models %+v, errors %v", err, models, failed)
	}
	wantText(t, "the model to begin with", first, "groq/llama-3.3-70b-versatile")
}
