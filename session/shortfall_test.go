package session

import (
	"fmt"
	"strings"
	"testing"

	"winnow/llm"
)

// TestShortfallIsOfTheNewestRequest holds a chat with a server that drops a part of what is too long for
// it. The session says so after the turn in which it did, and after no other; opened again it says the
// same.
func TestShortfallIsOfTheNewestRequest(t *testing.T) {
	const window, turns = 4096, 40
	count := larger()
	for name, answer := range map[string]func(s *script) step{
		"it drops the oldest":    func(s *script) step { return s.dropping(window, count) },
		"it keeps half a window": halving(window, count),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.believing(40_960)
			b.deps.Count, b.deps.Tokenizer = llm.NewCounter().Count, "words"
			for range turns {
				b.steps = append(b.steps, answer(b.script))
			}
			s := b.begin()
			found := 0
			for n := range turns {
				events, err := drain(s.Send(t.Context(), fmt.Sprintf("Question %d. %s", n+1, strings.Repeat("What I already said stands. ", 10+n%7))))
				if err != nil {
					t.Fatalf("turn %d failed: %v", n+1, err)
				}
				receipt := only[Answered](events)[0].Receipt
				got, short := s.Shortfall()
				if short != (len(notices(events)) > 0) {
					t.Errorf("turn %d: a shortfall is %t, and it said %q", n+1, short, notices(events))
				}
				if want := (Shortfall{Turn: n + 1, Expected: receipt.Expected, Reported: receipt.Usage.Prompt}); short && (got.Turn != want.Turn || got.Reported != want.Reported || got.Expected-want.Expected > 1 || want.Expected-got.Expected > 1) {
					t.Errorf("the shortfall of turn %d is %+v, want %+v", n+1, got, want)
				}
				if short {
					found++
				} else if n%10 != 0 {
					continue
				}
				later := b.open(s.Info().ID)
				if _, known := later.Shortfall(); known {
					t.Errorf("turn %d: the shortfall is known before the records are read", n+1)
				}
				if err := later.LoadPast(t.Context()); err != nil {
					t.Fatal(err)
				}
				if again, known := later.Shortfall(); known != short || again != got {
					t.Errorf("turn %d: opened again the shortfall is %+v, %t; want %+v, %t", n+1, again, known, got, short)
				}
			}
			if found != 1 {
				t.Errorf("a shortfall was found %d times, want once", found)
			}
		})
	}
}

// TestShortfallEndsWithTheModel asks another model, that has nothing to do with it.
func TestShortfallEndsWithTheModel(t *testing.T) {
	b := newBench(t, says(strings.Repeat("A long answer. ", 400)), says("Yes."))
	s := b.begin()
	drain(s.Send(t.Context(), "Talk at length"))
	s.before.shortfall = &Shortfall{Turn: 1, Expected: 9000, Reported: 4096}
	if err := s.SetModel(t.Context(), "test/other"); err != nil {
		t.Fatal(err)
	}
	if got, known := s.Shortfall(); known {
		t.Errorf("with another model there is a shortfall of %+v", got)
	}
}

// A trial that names no model, or the one in use, is of the same model still.
func TestShortfallStaysUnderOtherSettings(t *testing.T) {
	s := newBench(t).begin()
	s.before.shortfall = &Shortfall{Turn: 1, Expected: 9000, Reported: 4096}
	budget := 2000
	for _, trial := range []Trial{{Budget: &budget}, {Preset: "classic", Model: s.Ref()}} {
		if err := s.Apply(t.Context(), trial); err != nil {
			t.Fatal(err)
		}
		if _, known := s.Shortfall(); !known {
			t.Errorf("the shortfall is forgotten after %+v", trial)
		}
	}
}
