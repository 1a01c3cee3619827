package session

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"winnow/llm/llmtest"
)

// ollamaBench has a server that answers like Ollama. running is the window of the running model, 0 if it does not run.
// A request loads the model with the window that it asks for, or with 32,768.
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
			if err := llmtest.CheckOllamaBody([]byte(body)); err != nil {
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
			return `{"details":{"family":"a"},"model_info":{"general.architecture":"a","a.context_length":65536}` +
				`,"capabilities":["completion","tools"]}`
		},
	}
	b.believing(0)
	return b
}

// askedWindow returns the window that a request asks for, 0 for none.
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

// tells answers with lines of Ollama's format.
func tells(lines ...string) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		for _, line := range lines {
			_, _ = io.WriteString(w, line+"\n")
		}
		_, _ = io.WriteString(w,
			`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop",`+
				`"prompt_eval_count":40,"eval_count":2}`+"\n")
	}
}

// Ollama is asked for the window that the user set, up to the maximum of the model.
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
		events := completed(t, s.Send(t.Context(), say("Hello?")))
		if got := only[Planned](events)[0].Plan.Sum.Window; got != set.want ||
			askedWindow(t, b.body(b.requests())) != set.want {
			t.Errorf("set to %d: planned for %d, want %d; asked %s", set.tokens, got, set.want, b.body(b.requests()))
		}
	}
	if _, over := s.Model().WindowFacts().Contradicted(); !over {
		t.Error("nothing says that the model takes less than what was set")
	}
	if got := b.open(s.Info().ID); got.LoadOlder(t.Context()) != nil || got.Model().Window().Tokens != 65536 {
		t.Errorf("opened again, the window is %+v", got.Model().Window())
	}
}

// A server that runs the model with less than it was asked for is believed.
func TestOllamaThatGivesLessIsBelieved(t *testing.T) {
	hello := tells(`{"message":{"role":"assistant","content":"Hello."},"done":false}`)
	b := newOllamaBench(t)
	less := func(w http.ResponseWriter, r *http.Request) {
		b.running = 4096
		hello(w, r)
	}
	b.steps = []step{less, less}
	s := b.begin()
	if err := s.LoadOlder(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Model().SetWindow(t.Context(), 16384); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{16384, 4096} {
		events := completed(t, s.Send(t.Context(), say("Hello?")))
		if got := only[Planned](events)[0].Plan.Sum.Window; got != want {
			t.Errorf("planned for %d tokens, want %d", got, want)
		}
	}
}
