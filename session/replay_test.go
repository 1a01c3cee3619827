package session

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// wantProven replays a request and fails unless it has the bytes that the server received.
func wantProven(t testing.TB, s *Session, turn, nth int, want string) record.ReplayedRequest {
	t.Helper()
	got, err := s.Records().Replay(context.Background(), turn, nth)
	if err != nil {
		t.Fatalf("replay turn %d.%d: %v", turn, nth, err)
	}
	if !got.Proven || got.Doubt != "" || string(got.Body) != want {
		t.Fatalf("turn %d.%d is proven: %t (%s); it is\n%s\nand the server got\n%s", turn, nth, got.Proven, got.Doubt,
			got.Body, want)
	}
	if kept := got.Verdicts; !reflect.DeepEqual(kept.Entries, plain(got.Plan.Entries)) || kept.Sum != got.Plan.Sum {
		t.Fatalf("turn %d.%d was decided as\n%+v\nand is decided now as\n%+v", turn, nth, kept, got.Plan)
	}
	return got
}

func TestReplaySaysWhereItCannotProve(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	records, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
	if err != nil {
		t.Fatal(err)
	}
	other := func(change func(*store.Request)) record.ReplayedRequest {
		t.Helper()
		r := records[0]
		change(&r)
		if err := b.deps.Store.UpdateRequest(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		got, err := s.Records().Replay(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := other(func(r *store.Request) { r.BodyHash = "00" }); got.Proven ||
		got.Doubt != "its hash differs from the recorded one" || string(got.Body) != b.body(1) {
		t.Errorf("with another hash: proven %t, %q", got.Proven, got.Doubt)
	}
	if got := other(func(r *store.Request) { r.BodyHash, r.Rules = "00", 999 }); got.Proven ||
		!strings.Contains(got.Doubt, "version 999 of the rules") {
		t.Errorf("with other rules: proven %t, %q", got.Proven, got.Doubt)
	}
	if got := other(func(r *store.Request) { r.BodyHash, r.Tokenizer = "00", "fingers" }); got.Proven ||
		!strings.Contains(got.Doubt, "counted by fingers") {
		t.Errorf("with another tokenizer: proven %t, %q", got.Proven, got.Doubt)
	}
	// Another version of the rules does not matter if the bytes are the same.
	if got := other(func(r *store.Request) { r.Rules = 999 }); !got.Proven {
		t.Errorf("the same bytes by other rules are not taken as proven: %q", got.Doubt)
	}
}

func TestReplayOfNothing(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	want := func(turn, nth int, sentence string) {
		t.Helper()
		_, err := s.Records().Replay(t.Context(), turn, nth)
		if missing := (*record.NoRequestError)(nil); !errors.As(err, &missing) || err.Error() != sentence {
			t.Errorf("replay of turn %d.%d: %v, want %q", turn, nth, err, sentence)
		}
	}
	want(1, 0, "there is no turn 1; this session has 0")
	drain(s.Send(t.Context(), say("First")))
	want(2, 0, "there is no turn 2; this session has 1")
	want(0, 0, "there is no turn 0; this session has 1")
	want(1, 2, "turn 1 has no request 2; it has 1")
	if _, err := b.deps.Store.AppendMessage(t.Context(),
		store.Message{
			Session: s.Info().ID, Parent: s.Info().Leaf, Message: history.Message{
				Role: history.User, Content: "unsent",
			},
		}); err != nil {
		t.Fatal(err)
	}
	s = b.open(s.Info().ID)
	want(2, 0, "nothing was sent in turn 2 of this session")
}

// plain returns entries in which empty lists are nil.
func plain(entries []history.Entry) []history.Entry {
	out := slices.Clone(entries)
	for i := range out {
		e := &out[i]
		if len(e.Cuts) == 0 {
			e.Cuts = nil
		}
		if len(e.Inserted) == 0 {
			e.Inserted = nil
		}
		if len(e.Repairs) == 0 {
			e.Repairs = nil
		}
	}
	return out
}

// A request from another machine replays to the same bytes, although its messages have other positions here.
func TestARequestOfAnotherMachineReplays(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	there, here := b.deps.Store, emptyStore(t)
	first := store.Message{Message: history.Message{Role: history.User, Content: "Another chat"}}
	if _, _, err := here.BeginSession(t.Context(), store.Session{}, first); err != nil {
		t.Fatal(err)
	}
	for name, db := range map[string]*store.Store{"there": there, "here": here} {
		if _, err := db.Sync().Join(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	sendSegments(t, there, here)
	b.deps.Store = here
	for turn := 1; turn <= 2; turn++ {
		wantProven(t, b.open(s.Info().ID), turn, 1, b.body(turn))
	}
}
