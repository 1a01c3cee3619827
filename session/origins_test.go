package session

import (
	"testing"
)

// The system prompt is fixed at the first request, and so is that there is none.
func TestTheSystemPromptIsFixedAtTheFirstRequest(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"Be brief.", ""} {
		b := newBench(t, says("Yes."), says("Yes."))
		b.deps.System = at
		s := b.begin()
		drain(s.Send(t.Context(), say("first")))
		b.deps.System = "Be long."
		again := b.open(s.Info().ID)
		if got := again.Now().System; got != at {
			t.Errorf("after a change of the configuration the system prompt is %q, want %q", got, at)
		}
		fork, err := again.Fork(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := b.open(fork.ID).Now().System; got != at {
			t.Errorf("the fork's system prompt is %q, want %q", got, at)
		}
	}
}
