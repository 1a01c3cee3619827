package session

import (
	"strings"
	"testing"

	"winnow/llm"
	"winnow/session/store"
)

// TestAModelIsChosenWhereNothingCanBeWritten opens a history that is open for reading only.
func TestAModelIsChosenWhereNothingCanBeWritten(t *testing.T) {
	b := newBench(t, says("One."))
	first := b.begin()
	completed(t, first.Send(t.Context(), say("First")))
	reading, err := store.Open(t.Context(), b.deps.Store.Path(), store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reading.Close() })
	b.deps.Store = reading

	s := b.open(first.Info().ID)
	if err := s.Set(t.Context(), Settings{Model: "test/other"}); err != nil {
		t.Fatalf("the model cannot be chosen: %v", err)
	}
	if got := s.Model().Ref(); got != "test/other" {
		t.Errorf("the model is %s, want test/other", got)
	}
	if got := b.open(first.Info().ID).Info().Model; got != "m" {
		t.Errorf("the history that is only read has the model %s, want m", got)
	}
}

// A default that its server does not list any more is replaced before the first message is sent, once, and that is
// said; a conversation that has begun keeps its model.
func TestADefaultThatIsNotListedIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("Hello."), says("Again."), says("Once more."), says("And again."))
	b.info = map[string]func() string{"/v1/models": func() string { return `{"data":[{"id":"m2"},{"id":"other"}]}` }}
	s, err := New(b.deps, Start{Ref: "test/m", Dated: true})
	if err != nil {
		t.Fatal(err)
	}
	events, err := drain(s.Send(t.Context(), say("hello")))
	if err != nil || !strings.HasPrefix(b.body(1), `{"model":"m2",`) {
		t.Fatalf("%v, sent %s", err, b.body(1))
	}
	if notices := only[Notice](events); len(notices) != 1 || !strings.HasPrefix(notices[0].Text,
		"test does not list m, winnow's default model as of ") || !strings.HasSuffix(notices[0].Text, ": test/m2") {
		t.Errorf("said %q", notices)
	}
	wantProven(t, s, 1, 1, b.body(1))
	b.info["/v1/models"] = func() string { return `{"data":[{"id":"other"}]}` }
	if events, err := drain(b.open(s.Info().ID).Send(t.Context(), say("again"))); err != nil || !strings.HasPrefix(b.body(2), `{"model":"m2",`) || len(only[Notice](events)) != 1 || !strings.Contains(only[Notice](events)[0].Text, "does not list a model m2") {
		t.Errorf("the next run: %v, sent %s, said %q", err, b.body(2), only[Notice](events))
	}
	dated := b.deps.Models.Endpoints()[0]
	dated.Dated = true
	b.deps.Models = new(llm.Catalog).With(dated)
	switched, err := New(b.deps, Start{Ref: "test/other"})
	if err != nil {
		t.Fatal(err)
	}
	if err := switched.Set(t.Context(), Settings{Model: "test"}); err != nil {
		t.Fatal(err)
	}
	if events, err := drain(switched.Send(t.Context(), say("hello"))); err != nil || !strings.HasPrefix(b.body(3),
		`{"model":"other",`) || len(only[Notice](events)) != 1 {
		t.Errorf("a service that was chosen alone: %v, sent %s, said %q", err, b.body(3), only[Notice](events))
	}
	named, err := New(b.deps, Start{Ref: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := drain(named.Send(t.Context(), say("hello"))); err != nil || !strings.HasPrefix(b.body(4), `{"model":"m",`) {
		t.Errorf("a model that the user named: %v, sent %s", err, b.body(4))
	}
}
