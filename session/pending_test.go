package session

import (
	"context"
	"errors"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/approval"
	"winnow/session/branch"
	"winnow/session/store"
)

const noResultRecorded = "[no result recorded for this call; do not assume it ran]"

// leftAsking is a conversation that ended while the user was asked about a tool call, as the next start of
// the program finds it.
func leftAsking(t *testing.T, steps ...step) (*bench, *Session) {
	t.Helper()
	b := newBench(t, steps...)
	b.offer(adder(t))
	s := b.begin()
	ctx, stop := context.WithCancel(t.Context())
	events := s.Send(ctx, "1+2?")
	until[Asked](events)
	stop() // as a kill does, this stores nothing
	for range events {
	}
	again := b.open(s.Info().ID)
	if err := again.LoadRest(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b, again
}

// wantPending returns the call that the user is to be asked about.
func wantPending(t *testing.T, s *Session) PendingCall {
	t.Helper()
	call, ok := s.NextPending()
	if !ok {
		t.Fatalf("no call is pending after %s", transcript(s.Messages()))
	}
	return call
}

func storedRepairs(t *testing.T, b *bench, s *Session) []store.RepairLine {
	t.Helper()
	var repairs []store.RepairLine
	err := b.deps.Store.Dump(t.Context(), s.Info().ID, func(l store.Line) error {
		if l.Repair != nil {
			repairs = append(repairs, *l.Repair)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return repairs
}

func TestPendingToolCallIsAnsweredAfterARestart(t *testing.T) {
	once := approval.Answer{Choice: approval.Once}
	for _, c := range []struct {
		name   string
		answer approval.Answer
		result string
	}{
		{"allowed", once, "3"},
		{"declined", approval.Answer{}, refused},
		{"declined with a reason", approval.Answer{Choice: approval.No, Reason: " use paper\n"}, refused +
			" The user says: use paper"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, s := leftAsking(t, calls("c1", "add", `{"a":1,"b":2}`), says("Here you are."))
			events, err := drain(s.AnswerPending(t.Context(), wantPending(t, s), c.answer))
			if err != nil {
				t.Fatal(err)
			}
			messages := s.Messages()
			if len(messages) != 4 || messages[2].Content != c.result || messages[3].Content != "Here you are." {
				t.Fatalf("the conversation is\n%s\nwant the result %q and the answer", transcript(messages), c.result)
			}
			if n := len(only[Asked](events)); n != 0 {
				t.Errorf("the user was asked %d times more, want 0", n)
			}
			if body := b.body(2); !strings.Contains(body, c.result) || strings.Contains(body, noResultRecorded) {
				t.Errorf("the second request is %s, want it with the result %q", body, c.result)
			}
			if repairs := storedRepairs(t, b, s); len(repairs) != 0 || s.Info().Turns != 1 {
				t.Errorf("%d repairs and %d turns, want none and 1", len(repairs), s.Info().Turns)
			}
			if _, err := drain(s.AnswerPending(t.Context(), PendingCall{Message: messages[1].ID},
				once)); !errors.Is(err, ErrNotPending) {
				t.Errorf("to answer the call twice gives %v, want ErrNotPending", err)
			}
			wantProven(t, s, 1, 2, b.body(2))
		})
	}
}

func TestPendingToolCallIsNoDamage(t *testing.T) {
	_, s := leftAsking(t, calls("c1", "add", `{"a":1,"b":2}`))
	for _, recovery := range []history.Recovery{history.RecoverRepair, history.RecoverStrict} {
		s.policy.Recovery = recovery
		plan, err := s.Preview("")
		if err != nil {
			t.Fatalf("recovery %q: %v", recovery, err)
		}
		for _, e := range plan.Entries {
			if len(e.Repairs) > 0 {
				t.Errorf("recovery %q: message %d is repaired: %v", recovery, e.Index+1, e.Repairs)
			}
		}
	}
	var damaged *history.DamagedError
	if _, err := s.Preview("never mind"); !errors.As(err, &damaged) {
		t.Errorf("a message under a strict recovery gives %v, want it refused", err)
	}
}

func TestANewMessageDeclinesAPendingToolCall(t *testing.T) {
	b, s := leftAsking(t, calls("c1", "add", `{"a":1,"b":2}`), says("As you wish."))
	if _, err := drain(s.Send(t.Context(), "never mind")); err != nil {
		t.Fatal(err)
	}
	if body := b.body(2); !strings.Contains(body, noResultRecorded) || strings.Contains(body, refused) {
		t.Errorf("the request is %s, want the neutral stand-in for the result", body)
	}
	if repairs := storedRepairs(t, b, s); s.Pending() != 0 || len(repairs) != 1 {
		t.Errorf("%d calls are pending and %d repairs stored, want 0 and 1", s.Pending(), len(repairs))
	}
}

// What was interrupted may have run in part, so even a configuration that runs tools without asking asks.
func TestEachPendingToolCallNeedsAnAnswer(t *testing.T) {
	b, s := leftAsking(t, twoCalls("c1", `{"a":1,"b":2}`, `{"a":3,"b":4}`), says("3 and 7."))
	s.deps.permits.rules.Mode = approval.Always
	asked := 0
	for e := range s.AnswerPending(t.Context(), wantPending(t, s), approval.Answer{Choice: approval.Once}) {
		switch e := e.(type) {
		case Asked:
			asked++
			e.Answer(approval.Answer{})
		case Finished:
			if e.Err != nil {
				t.Fatal(e.Err)
			}
		}
	}
	messages := s.Messages()
	if asked != 1 || len(messages) != 5 || messages[2].Content != "3" || messages[3].Content != refused {
		t.Errorf("asked %d times about the second call; the conversation is\n%s", asked, transcript(messages))
	}
	if b.requests() != 2 {
		t.Errorf("%d requests, want 2", b.requests())
	}
}

func TestOnlyCallsOfACompleteAnswerOfThisSessionArePending(t *testing.T) {
	for name, spoil := range map[string]func(s *Session, answer *store.Message){
		"interrupted":  func(_ *Session, m *store.Message) { m.Status = history.Interrupted },
		"imported":     func(_ *Session, m *store.Message) { m.Request = 0 },
		"switched off": func(s *Session, _ *store.Message) { s.deps.permits.rules.Mode = approval.Never },
		"no such tool": func(_ *Session, m *store.Message) { m.ToolCalls[0].Name = "gone" },
	} {
		t.Run(name, func(t *testing.T) {
			_, s := leftAsking(t, calls("c1", "add", `{"a":1,"b":2}`))
			call := wantPending(t, s)
			messages := s.Messages()
			spoil(s, &messages[1])
			s.branch = branch.Of(messages...)
			if _, ok := s.NextPending(); ok {
				t.Errorf("the user would be asked about %v", call)
			}
		})
	}
}
