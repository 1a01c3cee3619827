package session

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/llm/llmtest"
)

// ollamaBench is a server that answers as Ollama does. running is the window of the model, 0 where it does not run;
// a request loads it with the window that it asks for, else with 32,768.
type ollamaBench struct {
	*bench
	running int
}

func newOllamaBench(t *testing.T, steps ...step) *ollamaBench {
	t.Helper()
	b := &ollamaBench{}
	for i, next := range steps {
		steps[i] = func(w http.ResponseWriter, r *http.Request) {
			if got, want := r.URL.Path, "/api/chat"; got != want {
				t.Errorf("a request went to %s, want %s", got, want)
			}
			body := b.body(b.requests())
			if err := llmtest.CheckOllama([]byte(body)); err != nil {
				t.Errorf("%v\n%s", err, body)
			}
			if b.running = askedWindow(t, body); b.running == 0 {
				b.running = 32768
			}
			next(w, r)
		}
	}
	b.bench = newBench(t, steps...)
	b.info = map[string]func() string{
		"/api/ps": func() string {
			if b.running == 0 {
				return `{"models":[]}`
			}
			return fmt.Sprintf(`{"models":[{"name":"m:latest","context_length":%d}]}`, b.running)
		},
		"/api/show": func() string {
			return `{"details":{"family":"a"},"model_info":{"general.architecture":"a","a.context_length":65536},"capabilities":["completion","tools"]}`
		},
	}
	b.believing(0)
	return b
}

// askedWindow is the window that a request asks the server to run the model with, 0 for none.
func askedWindow(t *testing.T, body string) int {
	t.Helper()
	var sent struct {
		Options struct {
			NumCtx int `json:"num_ctx"`
		} `json:"options"`
	}
	if err := json.Unmarshal([]byte(body), &sent); err != nil {
		t.Fatal(err)
	}
	return sent.Options.NumCtx
}

// tells answers with lines of Ollama.
func tells(lines ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		for _, line := range lines {
			_, _ = io.WriteString(w, line+"\n")
		}
		_, _ = io.WriteString(w,
			`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":40,"eval_count":2}`+"\n")
	}
}

// A turn with tools on Ollama's own format: the arguments are stored byte for byte, the requests are recorded and can
// be proven, whatever is configured later.
func TestOllamaTurnWithToolsReplays(t *testing.T) {
	const arguments = `{ "a": 1,"b":2 }`
	b := newOllamaBench(
		t,
		tells(`{"message":{"role":"assistant","content":"I add."},"done":false}`,
			`{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"add","arguments":`+
				arguments+`}}]},"done":false}`),
		tells(`{"message":{"role":"assistant","content":"Three."},"done":false}`),
		tells(`{"message":{"role":"assistant","content":"Again."},"done":false}`),
	)
	b.deps.Approve = Always
	b.offer(adder(t))
	e := b.deps.Models.Endpoints()[0]
	e.KeepAlive = "10m"
	b.deps.Models = new(llm.Catalog).With(e)
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), "1+2?")); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(s.Send(t.Context(), "And again?")); err != nil {
		t.Fatal(err)
	}
	wantTranscript(t, s.Messages(), "user: 1+2?\nassistant: I add. [add "+arguments+"]\ntool: 3\nassistant: "+
		"Three.\nuser: And again?\nassistant: Again.\n")
	if got := s.Messages()[1].ToolCalls[0].ID; !strings.HasPrefix(got, "call_") || s.Messages()[2].ToolCallID != got {
		t.Errorf("the call has the id %q, its result %q", got, s.Messages()[2].ToolCallID)
	}
	if body := b.body(2); !strings.Contains(body, `"tool_name":"add"`) ||
		!strings.Contains(body, `"arguments":{"a":1,"b":2}`) {
		t.Errorf("the result went back as %s", body)
	}
	for n, want := range []int{0, 32768, 32768} {
		if got := askedWindow(t, b.body(n+1)); got != want {
			t.Errorf("request %d asks for a window of %d, want %d", n+1, got, want)
		}
	}
	b.deps.Models = new(llm.Catalog).With(llm.Endpoint{
		Name: "other", BaseURL: "https://api.openai.com/v1", Window: 999999,
	})
	later, err := Open(t.Context(), b.deps, s.Info().ID, "other/m")
	if err != nil {
		t.Fatal(err)
	}
	wantProven(t, later, 1, 1, b.body(1))
	wantProven(t, later, 1, 2, b.body(2))
	wantProven(t, later, 2, 1, b.body(3))
}

// What the user sets is what Ollama is asked for, up to what the model was trained for.
func TestOllamaRunsTheModelWithTheWindowThatIsSet(t *testing.T) {
	hello := tells(`{"message":{"role":"assistant","content":"Hello."},"done":false}`)
	b := newOllamaBench(t, hello, hello, hello)
	b.running = 8192
	s := b.begin()
	for _, set := range []struct{ tokens, want int }{{0, 8192}, {16384, 16384}, {100_000, 65536}} {
		if set.tokens > 0 {
			if err := s.Model().SetWindow(t.Context(), set.tokens); err != nil {
				t.Fatal(err)
			}
		}
		events, err := drain(s.Send(t.Context(), "Hello?"))
		if err != nil {
			t.Fatal(err)
		}
		if got := only[Planned](events)[0].Plan.Sum.Window; got != set.want ||
			askedWindow(t, b.body(b.requests())) != set.want {
			t.Errorf("set to %d: planned for %d, want %d; asked %s", set.tokens, got, set.want, b.body(b.requests()))
		}
	}
	if _, over := s.Model().Windows().Contradicted(); !over {
		t.Error("nothing says that the model takes less than what was set")
	}
	if got := b.open(s.Info().ID); got.LoadRest(t.Context()) != nil || got.Model().Window().Tokens != 65536 {
		t.Errorf("opened again, the window is %+v", got.Model().Window())
	}
}

// A server that runs the model with less than what it was asked for says so, and is believed.
func TestOllamaThatGivesLessIsBelieved(t *testing.T) {
	hello := tells(`{"message":{"role":"assistant","content":"Hello."},"done":false}`)
	b := newOllamaBench(t)
	less := func(w http.ResponseWriter, r *http.Request) {
		b.running = 4096
		hello(w, r)
	}
	b.steps = []step{less, less}
	s := b.begin()
	if err := s.LoadRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Model().SetWindow(t.Context(), 16384); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{16384, 4096} {
		events, err := drain(s.Send(t.Context(), "Hello?"))
		if err != nil {
			t.Fatal(err)
		}
		if got := only[Planned](events)[0].Plan.Sum.Window; got != want {
			t.Errorf("planned for %d tokens, want %d", got, want)
		}
	}
}

// A model that cannot see gets a note in the place of an image, and no request has to fail for it.
func TestOllamaModelThatCannotSeeGetsANote(t *testing.T) {
	b := newOllamaBench(t, tells(`{"message":{"role":"assistant","content":"What?"},"done":false}`))
	s := b.begin()
	image := history.Part{
		Kind: history.ImagePart, Name: "dot.png", MediaType: "image/png", Data: []byte("PNG"), Tokens: 85,
	}
	if _, err := drain(s.Send(t.Context(), "What is it?", image)); err != nil {
		t.Fatal(err)
	}
	if body := b.body(1); strings.Contains(body, `"images"`) || !strings.Contains(body, "dot.png") {
		t.Errorf("sent %s", body)
	}
}
