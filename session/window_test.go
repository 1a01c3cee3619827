package session

import (
	"net/http"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/session/store"
)

// TestWindowComesFromTheFirstThatKnows takes one source after the other away.
func TestWindowComesFromTheFirstThatKnows(t *testing.T) {
	b := newBench(t)
	b.about = map[string]func() string{"/props": func() string { return `{"default_generation_settings":{"n_ctx":6000}}` }}
	window := func() llm.Window {
		s := b.begin()
		if err := s.LoadRest(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.Window()
	}
	base := b.deps.Models.Endpoints()[0].BaseURL
	if err := b.deps.Store.Learn(t.Context(), store.Learned{BaseURL: base, Model: "m", Window: 3000}); err != nil {
		t.Fatal(err)
	}
	b.believing(5000)
	if got := window(); got.Tokens != 5000 {
		t.Errorf("configured as 5000, learned as 3000: got %+v", got)
	}
	b.believing(0)
	if got := window(); got.Tokens != 3000 || got.Assumed {
		t.Errorf("learned as 3000, said to be 6000: got %+v", got)
	}
	if err := b.deps.Store.Learn(t.Context(), store.Learned{BaseURL: base, Model: "m"}); err != nil {
		t.Fatal(err)
	}
	if got := window(); got.Tokens != 6000 || got.Assumed {
		t.Errorf("said to be 6000: got %+v", got)
	}
	b.about = nil
	if got := window(); got.Tokens != 8192 || !got.Assumed {
		t.Errorf("nobody says anything: got %+v, want 8192, assumed", got)
	}
}

// TestOllamaIsAskedAgainOnceTheModelRuns has a server that loads the model with the first request.
func TestOllamaIsAskedAgainOnceTheModelRuns(t *testing.T) {
	running := `{"models":[]}`
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		running = `{"models":[{"name":"m:latest","model":"m:latest","context_length":16384}]}`
		says("Here I am.")(w, r)
	}, says("Still."))
	b.about = map[string]func() string{"/api/ps": func() string { return running }}
	b.believing(0)
	s := b.begin()
	if err := s.LoadRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Window(); got.Tokens != 4096 || !got.Assumed {
		t.Errorf("before the model runs the window is %+v, want 4096, assumed", got)
	}
	if _, err := drain(s.Send(t.Context(), "Hello?")); err != nil {
		t.Fatal(err)
	}
	if got := s.Window(); got.Tokens != 16384 || got.Assumed || !strings.Contains(got.Source, "running") {
		t.Errorf("after the first answer the window is %+v, want 16384 of the running model", got)
	}
	events, err := drain(s.Send(t.Context(), "And now?"))
	if err != nil {
		t.Fatal(err)
	}
	if got := only[Planned](events)[0].Plan.Sum.Window; got != 16384 {
		t.Errorf("the second request is planned for %d tokens, want 16384", got)
	}
}
