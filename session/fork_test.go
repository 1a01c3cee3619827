package session

import (
	"errors"
	"strings"
	"testing"

	"winnow/history"
)

// A fork goes on as its parent would have: the model is sent the same, and then each its own.
func TestForkGoesOnByItself(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Here."), says("There."))
	s := b.begin()
	if _, err := s.Fork(t.Context(), 0); !errors.Is(err, ErrNothingToAnswer) {
		t.Errorf("a fork of nothing: %v, want ErrNothingToAnswer", err)
	}
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	first := s.Messages()[1]
	if _, err := s.SetFlags(t.Context(), flagged(history.Pin, s.Messages()[0].ID)); err != nil {
		t.Fatal(err)
	}
	end, err := s.Fork(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	early, err := s.Fork(t.Context(), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	fork := b.open(end.ID)
	wantTranscript(t, fork.Messages(), transcript(s.Messages()))
	wantTranscript(t, b.open(early.ID).Messages(), "user: First\nassistant: One.\n")
	if got := fork.Now().Flags[fork.Messages()[0].ID]; got != history.Pin {
		t.Errorf("the pinned message has the flag %q in the fork", got)
	}
	if _, err := drain(fork.Send(t.Context(), say("Third"))); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(s.Send(t.Context(), say("Third"))); err != nil {
		t.Fatal(err)
	}
	if here, there := b.body(3), b.body(4); here != there || !strings.Contains(here, "Second") {
		t.Errorf("the fork was sent\n%s\nthe parent\n%s", here, there)
	}
	wantTranscript(t, fork.Messages(), "user: First\nassistant: One.\nuser: Second\nassistant: Two.\nuser: "+
		"Third\nassistant: Here.\n")
	wantTranscript(t, s.Messages(), "user: First\nassistant: One.\nuser: Second\nassistant: Two.\nuser: "+
		"Third\nassistant: There.\n")
	wantProven(t, fork, 3, 0, b.body(3))
}
