package session

import (
	"testing"

	"winnow/session/store"
)

// A model can be chosen while the store is read-only.
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
