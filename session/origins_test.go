package session

import (
	"testing"

	"winnow/history"
)

// configure gives the bench a configuration with these keys of [context].
func (b *bench) configure(t *testing.T, preset string, change func(*history.Policy), keys string) {
	t.Helper()
	policy, err := history.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&policy)
	}
	b.deps.Policy, b.deps.Context = policy, keys
}

// What was not set for a session follows the configuration of the day; what was set for it stays.
func TestASessionKeepsOnlyWhatWasSetForIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("Yes."))
	b.configure(t, "balanced", nil, "")
	s := b.begin()
	drain(s.Send(t.Context(), say("first")))
	if err := s.Set(t.Context(), Settings{Budget: new(4000)}); err != nil {
		t.Fatal(err)
	}
	b.configure(t, "recent", func(p *history.Policy) { p.MaxMessages, p.Budget = 7, 9000 },
		"preset = 'recent'\nmax_messages = 7\nbudget = 9000\n")
	again := b.open(s.Info().ID)
	if p := again.Now().Policy; p.Preset != "recent" || p.MaxMessages != 7 || p.Budget != 4000 {
		t.Errorf("the policy is %s, %d messages, budget %d; want the configured preset and messages, and the "+
			"session's budget", p.Preset, p.MaxMessages, p.Budget)
	}
	if err := again.Set(t.Context(), Settings{Preset: "balanced"}); err != nil {
		t.Fatal(err)
	}
	if p := b.open(s.Info().ID).Now().Policy; p.Preset != "balanced" || p.MaxMessages != 7 || p.UserMaxChars != 8000 {
		t.Errorf("under its own preset the policy is %s, %d messages, user %d; want balanced with the configured "+
			"messages", p.Preset, p.MaxMessages, p.UserMaxChars)
	}
}

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
