package session

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"winnow/llm"
)

// TestWindowComesFromTheFirstThatKnows takes one source after the other away.
func TestWindowComesFromTheFirstThatKnows(t *testing.T) {
	b := newBench(t)
	b.info = map[string]func() string{"/props": func() string { return `{"default_generation_settings":{"n_ctx":6000}}` }}
	window := func() llm.Window {
		s := b.begin()
		if err := s.LoadRest(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s.Model().Window()
	}
	base := b.deps.Models.Endpoints()[0].BaseURL
	b.believing(5000)
	if got := window(); got.Tokens != 5000 || got.Source != "the configuration" {
		t.Errorf("configured as 5000, stated as 6000: got %+v", got)
	}
	b.believing(7000)
	if got := window(); got.Tokens != 6000 || !strings.Contains(got.Source, "n_ctx") || got.At.IsZero() {
		t.Errorf("configured as 7000, stated as 6000: got %+v, want 6000 with a date", got)
	}
	b.believing(0)
	learned, err := b.deps.Store.Endpoint(t.Context(), base, "m")
	if err != nil || learned.Stated != 6000 {
		t.Fatalf("the statement that is kept is %d (%v), want 6000", learned.Stated, err)
	}
	learned.Window, learned.WindowAt = 3000, learned.StatedAt.Add(time.Hour)
	if err := b.deps.Store.Learn(t.Context(), learned); err != nil {
		t.Fatal(err)
	}
	if got := window(); got.Tokens != 3000 || got.Source != "the server's refusal" {
		t.Errorf("refused at 3000 since it states 6000: got %+v, want 3000", got)
	}
	learned.WindowAt = learned.StatedAt.Add(-time.Hour)
	if err := b.deps.Store.Learn(t.Context(), learned); err != nil {
		t.Fatal(err)
	}
	if got := window(); got.Tokens != 6000 {
		t.Errorf("refused at 3000 before it stated 6000: got %+v, want 6000", got)
	}
	b.info = nil
	if got := window(); got.Tokens != 3000 {
		t.Errorf("refused at 3000 and silent now: got %+v", got)
	}
	s := b.begin()
	if err := s.Model().SetWindow(t.Context(), 128_000); err != nil {
		t.Fatal(err)
	}
	if got := window(); got.Tokens != 128_000 || got.Source != "set with /window" || got.At.IsZero() {
		t.Errorf("set to 128,000: got %+v", got)
	}
	if err := s.Model().SetWindow(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
	if got := window(); got.Tokens != 8192 || !got.Assumed {
		t.Errorf("nobody says anything, and what a refusal taught is forgotten: got %+v, want 8192, assumed", got)
	}
}

// A window that is known by the model's name alone says so, behind any address.
func TestWindowByName(t *testing.T) {
	b := newBench(t)
	b.believing(0)
	s, err := New(b.deps, Start{Ref: "test/gpt-4o"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LoadRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Model().Window(); got.Tokens != 128_000 || !got.ByName || got.Assumed {
		t.Errorf("got %+v, want 128,000 by name", got)
	}
}

// TestOllamaIsAskedAgainOnceTheModelRuns has a server that loads the model with the first request.
func TestOllamaIsAskedAgainOnceTheModelRuns(t *testing.T) {
	running := `{"models":[]}`
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		running = `{"models":[{"name":"m:latest","model":"m:latest","context_length":16384}]}`
		says("Here I am.")(w, r)
	}, says("Still."))
	asked := 0
	b.info = map[string]func() string{"/api/ps": func() string { asked++; return running }}
	b.believing(0)
	s := b.begin()
	if err := s.LoadRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Model().Window(); got.Tokens != 4096 || !got.Assumed {
		t.Errorf("before the model runs the window is %+v, want 4096, assumed", got)
	}
	if _, err := drain(s.Send(t.Context(), "Hello?")); err != nil {
		t.Fatal(err)
	}
	if got := s.Model().Window(); got.Tokens != 4096 || asked != 1 {
		t.Errorf("the turn asked %d times, and at its end the window is %+v; want once, before the first request", asked, got)
	}
	events, err := drain(s.Send(t.Context(), "And now?"))
	if err != nil {
		t.Fatal(err)
	}
	if got := only[Planned](events)[0].Plan.Sum.Window; got != 16384 {
		t.Errorf("the second request is planned for %d tokens, want 16384", got)
	}
	if got := s.Model().Window(); got.Assumed || !strings.Contains(got.Source, "running") {
		t.Errorf("after the second answer the window is %+v, want that of the running model", got)
	}
}
