package llm

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"winnow/history"
	"winnow/llm/llmtest"
	"winnow/llm/tool"
)

// fakeOllama answers with texts by path, and keeps what it was asked.
type fakeOllama struct {
	says   map[string]string
	mu     sync.Mutex // a client asks several things at once
	asked  []string
	bodies []string
}

func (f *fakeOllama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.asked, f.bodies = append(f.asked, r.URL.Path), append(f.bodies, string(body))
	f.mu.Unlock()
	said, ok := f.says[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if status, body, refused := strings.Cut(said, "!"); refused {
		var code int
		_, _ = fmt.Sscan(status, &code)
		w.WriteHeader(code)
		said = body
	}
	_, _ = io.WriteString(w, said)
}

// Do answers without a network, so that the address can be any.
func (f *fakeOllama) Do(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := httptest.NewRecorder()
	f.ServeHTTP(w, r)
	return w.Result(), nil
}

const (
	noneRuns = `{"models":[]}`
	shownAs  = `{"details":{"family":%q},"parameters":%q,"model_info":{"general.architecture":"a","a.context_length":32768},"capabilities":[%s]}`
)

// ollamaOf is a client of a server with one model, m, that was asked for its window.
func ollamaOf(t *testing.T, e Endpoint, running, family, parameters, capabilities string) (*Client, *fakeOllama, Window) {
	t.Helper()
	server := &fakeOllama{says: map[string]string{"/api/ps": running, "/api/show": fmt.Sprintf(shownAs, family, parameters, capabilities)}}
	e.Name, e.Doer, e.Tries = "ollama", server, 1
	if e.BaseURL == "" {
		e.BaseURL = "http://127.0.0.1:11434/v1"
	}
	c := NewClient(e)
	w, err := c.StatedWindow(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	return c, server, w
}

func TestOllamaIsAskedInItsOwnFormat(t *testing.T) {
	t.Parallel()
	c, server, w := ollamaOf(t, Endpoint{KeepAlive: "10m"}, `{"models":[{"name":"m:latest","context_length":8192}]}`, "a", "", `"completion","tools","thinking","vision"`)
	if c.Wire("m") != OllamaWire || w.Tokens != 8192 || w.Most != 32768 || w.Again {
		t.Fatalf("wire %s, window %+v", c.Wire("m"), w)
	}
	if got := c.Wire("another"); got != ChatWire {
		t.Errorf("a model that the server was not asked for is asked in the format %s", got)
	}
	server.says["/api/chat"] = `{"message":{"role":"assistant","content":"","thinking":"Hm"},"done":false}
{"message":{"role":"assistant","content":"Hel"},"done":false}
{"message":{"role":"assistant","content":"lo","tool_calls":[{"function":{"name":"read","arguments":{ "path" : "x" }}}]},"done":false}
{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":9,"eval_count":4}
{"message":{"role":"assistant","content":"what follows does not count"},"done":false}
`
	r := Request{Model: "m", Window: 8192, Effort: "low", Messages: []history.Message{{Role: history.User, Content: "Hi"}}}
	got, reply, err := heard(c, r)
	if err != nil {
		t.Fatal(err)
	}
	got = strings.ReplaceAll(got, reply.Calls[0].ID, "ID")
	wantText(t, "events", got, `(Hm)Hello[0 ID read ][0   { "path" : "x" }]<9 -1 4 -1>|stop done`)
	wantText(t, "path", server.asked[len(server.asked)-1], "/api/chat")
	wantText(t, "body", server.bodies[len(server.bodies)-1], `{"model":"m","messages":[{"role":"user","content":"Hi"}],"think":true,`+
		`"stream":true,"truncate":false,"shift":false,"keep_alive":"10m","options":{"num_ctx":8192}}`)
}

func TestOllamaThinksAsTheModelCan(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ family, capabilities, effort, want string }{
		{"llama", `"completion"`, "high", ""},
		{"qwen3", `"thinking"`, "", ""},
		{"qwen3", `"thinking"`, "none", `"think":false`},
		{"qwen3", `"thinking"`, "minimal", `"think":true`},
		{"gptoss", `"thinking"`, "minimal", `"think":"low"`},
		{"gpt-oss", `"thinking"`, "xhigh", `"think":"high"`},
	} {
		c, _, _ := ollamaOf(t, Endpoint{}, noneRuns, test.family, "", test.capabilities)
		body, err := c.Body(Request{Model: "m", Effort: test.effort})
		if err != nil || !strings.Contains(string(body), test.want) || test.want == "" && strings.Contains(string(body), "think") {
			t.Errorf("%+v: %s, %v", test, body, err)
		}
	}
}

func TestOllamaSaysWhatItsModelsLack(t *testing.T) {
	t.Parallel()
	for _, w := range []Wire{AutoWire, ChatWire} {
		c, server, _ := ollamaOf(t, Endpoint{Wire: w}, noneRuns, "a", "", `"completion"`)
		if p := c.Profile("m"); !p.NoImages || !p.NoTools || !p.ToolsAsText {
			t.Errorf("%s: a model that only completes has the profile %+v", w, p)
		}
		server.says["/api/show"] = fmt.Sprintf(shownAs, "a", "", `"tools","vision"`)
		if _, err := c.StatedWindow(t.Context(), "m"); err != nil {
			t.Fatal(err)
		}
		if p := c.Profile("m"); p != (history.Profile{}) {
			t.Errorf("%s: after an update that brought tools and images it has the profile %+v", w, p)
		}
	}
}

func TestOllamaWindows(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, running, parameters string
		wire                      Wire
		want                      Window
	}{
		{name: "it runs", running: `{"models":[{"name":"m","context_length":8192}]}`, want: Window{Tokens: 8192, Source: "Ollama's running context_length", Most: 32768}},
		{name: "its file says", running: noneRuns, parameters: "num_ctx 16384", want: Window{Tokens: 16384, Source: "num_ctx of the model's own file", Most: 32768, Again: true}},
		{name: "nobody says", running: noneRuns, want: Window{Assumed: true, Most: 32768, Again: true}},
		{name: "it takes no wishes", running: noneRuns, wire: ChatWire, want: Window{Assumed: true}},
	} {
		_, _, w := ollamaOf(t, Endpoint{Wire: test.wire}, test.running, "a", test.parameters, "")
		if w != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, w, test.want)
		}
	}
}

func TestOllamaTakesEveryHistory(t *testing.T) {
	t.Parallel()
	scenes := strictScenes()
	rapid.Check(t, func(t *rapid.T) {
		scene := scenes.Draw(t, "scene")
		alternates := rapid.Bool().Draw(t, "alternates")
		known := Learned{Native: true, Thinks: true, Profile: history.Profile{
			ToolsAsText: rapid.Bool().Draw(t, "tools as text"), NoImages: rapid.Bool().Draw(t, "no images"),
			MergeSameRole: alternates, NoToolToUser: alternates, EchoReasoning: rapid.Bool().Draw(t, "echo reasoning"),
		}}
		c := NewClient(Endpoint{Name: "own", BaseURL: "http://127.0.0.1:11434/v1", Known: known, KeepAlive: rapid.SampledFrom([]string{"", "5m", "-1"}).Draw(t, "keep")})
		scene.o.Profile, scene.o.To = c.Profile("m"), c.Origin("m")
		plan, err := history.Build(scene.messages, scene.o)
		if damaged := (*history.DamagedError)(nil); errors.As(err, &damaged) {
			return
		}
		r := Request{Model: "m", Messages: plan.Messages, Window: 8192, Effort: "high", Tools: []tool.Tool{{Name: "read"}}}
		body, err := c.Body(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := llmtest.CheckOllama(body); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		if again, err := c.Body(r); err != nil || string(again) != string(body) {
			t.Fatalf("the same request has other bytes: %v\n%s\n%s", err, body, again)
		}
	})
}
