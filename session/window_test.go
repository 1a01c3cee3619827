package session

import (
	"net/http"
	"strings"
	"testing"
)

// The server of this test loads the model with the first request.
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
	if err := s.LoadOlder(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Model().Window(); got.Tokens != 4096 || !got.Assumed {
		t.Errorf("before the model runs the window is %+v, want 4096, assumed", got)
	}
	completed(t, s.Send(t.Context(), say("Hello?")))
	if got := s.Model().Window(); got.Tokens != 4096 || asked != 1 {
		t.Errorf("the turn asked %d times, and at its end the window is %+v; want once, before the first request",
			asked, got)
	}
	events := completed(t, s.Send(t.Context(), say("And now?")))
	if got := only[Planned](events)[0].Plan.Sum.Window; got != 16384 {
		t.Errorf("the second request is planned for %d tokens, want 16384", got)
	}
	if got := s.Model().Window(); got.Assumed || !strings.Contains(got.Source, "running") {
		t.Errorf("after the second answer the window is %+v, want that of the running model", got)
	}
}
