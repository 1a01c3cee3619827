package session

import (
	"testing"

	"winnow/llm"
	"winnow/session/store"
)

// TestAModelIsChosenWhereNothingCanBeWritten opens a history that is open for reading only.
func TestAModelIsChosenWhereNothingCanBeWritten(t *testing.T) {
	b := newBench(t, says("One."))
	first := b.begin()
	if _, err := drain(first.Send(t.Context(), "First")); err != nil {
		t.Fatal(err)
	}
	reading, err := store.Open(t.Context(), b.deps.Store.Path(), store.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reading.Close() })
	b.deps.Store = reading

	s := b.open(first.Info().ID)
	if err := s.SetModel(t.Context(), "test/other"); err != nil {
		t.Fatalf("the model cannot be chosen: %v", err)
	}
	if got := s.Ref(); got != "test/other" {
		t.Errorf("the model is %s, want test/other", got)
	}
	if got := b.open(first.Info().ID).Info().Model; got != "m" {
		t.Errorf("the history that is only read has the model %s, want m", got)
	}
}

// A model without an endpoint is one that the endpoint in use lists; any other name changes nothing.
func TestAModelWithoutAnEndpointIsFoundInTheList(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.info = map[string]func() string{"/v1/models": func() string { return `{"data":[{"id":"m"},{"id":"medium"}]}` }}
	e := b.deps.Models.Endpoints()[0]
	e.BaseURLSet = true
	b.deps.Models = new(llm.Catalog).With(e)
	s := b.begin()
	if err := s.SetModel(t.Context(), "medium"); err != nil || s.Ref() != "test/medium" {
		t.Errorf("a listed model: %v, and the next message goes to %s", err, s.Ref())
	}
	for _, ref := range []string{"gpt", "mediun", "other/m", ""} {
		if err := s.SetModel(t.Context(), ref); err == nil || s.Ref() != "test/medium" {
			t.Errorf("%q: %v, and the next message goes to %s", ref, err, s.Ref())
		}
	}
	if err := s.SetModel(t.Context(), "test/unlisted"); err != nil || s.Ref() != "test/unlisted" {
		t.Errorf("a model that is named with its endpoint: %v, and the next message goes to %s", err, s.Ref())
	}
}
