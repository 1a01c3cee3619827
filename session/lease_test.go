package session

import (
	"errors"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// twoWindows returns a conversation that is open in two windows; the first has the lease.
func twoWindows(t *testing.T, steps ...step) (b *bench, first, second *Session) {
	t.Helper()
	b = newBench(t, append([]step{says("One.")}, steps...)...)
	first = b.begin()
	takeLease(t, first, false)
	drain(first.Send(t.Context(), say("First")))
	beside, err := store.Open(t.Context(), b.deps.Store.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { beside.Close() })
	deps := b.deps
	deps.Store = beside
	second, err = Open(t.Context(), deps, first.Info().ID, first.Model().Ref())
	if err != nil {
		t.Fatal(err)
	}
	return b, first, second
}

func takeLease(t *testing.T, s *Session, leased bool) {
	t.Helper()
	if got, err := s.Lease(t.Context()); err != nil || got != leased || s.State().ReadOnly != leased {
		t.Errorf("Lease = %v, %v, and LeasedByOther is %v; want %v", got, err, s.State().ReadOnly, leased)
	}
}

// A new conversation belongs to its window from its first message on.
func TestConversationThatIsOpenInAnotherWindowChangesNothing(t *testing.T) {
	b, first, second := twoWindows(t)
	takeLease(t, second, true)
	ctx, message := t.Context(), second.Messages()[0].ID
	before, err := b.deps.Store.Session(ctx, first.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	turn := func(events <-chan Event) error {
		_, err := drain(events)
		return err
	}
	for what, try := range map[string]func() error{
		"send":      func() error { return turn(second.Send(ctx, say("Second"))) },
		"ask again": func() error { return turn(second.Regenerate(ctx, 0, "")) },
		"edit":      func() error { return turn(second.Send(ctx, Draft{Replaces: message, Text: "Second"})) },
		"switch":    func() error { return second.SwitchBranch(ctx, message) },
		"rename":    func() error { return second.Set(ctx, Settings{Title: new("Mine")}) },
		"retitle":   func() error { _, err := second.Retitle(ctx, true, func(Event) {}); return err },
		"model":     func() error { return second.Set(ctx, Settings{Model: second.Model().Ref()}) },
		"flag":      func() error { _, err := second.SetFlags(ctx, flagged(history.Pin, message)); return err },
		"remedy":    func() error { return second.SetRemedy(ctx, history.LeaveOut, message) },
	} {
		if err := try(); !errors.Is(err, ErrLeased) {
			t.Errorf("%s: %v, want ErrLeased", what, err)
		}
	}
	after, err := b.deps.Store.Session(ctx, first.Info().ID)
	if err != nil || after.Messages != before.Messages || after.Leaf != before.Leaf || after.Title != before.Title ||
		after.System != before.System || after.Overrides != before.Overrides || after.Preset != before.Preset {
		t.Errorf("the conversation was\n%+v, and is\n%+v, %v", before, after, err)
	}
	if b.requests() != 1 {
		t.Errorf("%d requests left, want the first window's", b.requests())
	}
	if _, err := second.Preview(say("Second")); err != nil {
		t.Errorf("a preview: %v, want a plan: reading goes on", err)
	}
	if _, err := second.Fork(ctx, 0); err != nil {
		t.Errorf("a fork: %v, want a chat of its own", err)
	}
}

func TestConversationIsFreeWhenItsWindowShowsAnother(t *testing.T) {
	b, first, second := twoWindows(t, says("Two."))
	takeLease(t, second, true)
	first.ReleaseLease()
	takeLease(t, second, false)
	if _, err := drain(second.Send(t.Context(), say("Second"))); err != nil {
		t.Errorf("Send: %v", err)
	}
	wantTranscript(t, b.open(first.Info().ID).Messages(),
		"user: First\nassistant: One.\nuser: Second\nassistant: Two.\n")
	second.ReleaseLease()
	second.ReleaseLease() // a second time is none
	takeLease(t, first, false)
}
