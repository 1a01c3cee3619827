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

// wantProven replays a request and fails unless its bytes are those that the server got.
func wantProven(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Session, turn, nth int, want string,
) record.Replayed {
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

func TestReplayFollowsTheBranchOfTheRecord(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("Two, otherwise."), says("Three."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	drain(s.Regenerate(t.Context(), 0, ""))
	drain(s.Send(t.Context(), say("Third")))
	// Back to the first answer: the newest turns are on another branch now.
	leaf := s.Messages()[1].ID
	err := b.deps.Store.Update(t.Context(), s.Info().ID, func(row *store.Session) { row.Leaf = leaf })
	if err != nil {
		t.Fatal(err)
	}
	back := b.open(s.Info().ID)
	wantTranscript(t, back.Messages(), "user: First\nassistant: One.\n")
	wantProven(t, back, 2, 1, b.body(2))
	wantProven(t, back, 2, 2, b.body(3))
	got := wantProven(t, back, 3, 0, b.body(4))
	if text := transcript(allOf(got.Messages)); !strings.Contains(text, "Two, otherwise.") ||
		strings.Contains(text, "Two.\n") {
		t.Errorf("turn 3 was planned from\n%s", text)
	}
}

func TestAnOldTurnThatIsAskedAgainKeepsItsNumber(t *testing.T) {
	b := newBench(t, says("One."), says("Two."), says("One, otherwise."), says("Three."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	first := s.Messages()[0].ID
	drain(s.Send(t.Context(), say("Second")))
	if err := b.deps.Store.Update(t.Context(), s.Info().ID, func(row *store.Session) { row.Leaf = first }); err != nil {
		t.Fatal(err)
	}
	back := b.open(s.Info().ID)
	drain(back.Regenerate(t.Context(), 0, ""))
	drain(back.Send(t.Context(), say("Third")))
	if got := wantProven(t, back, 1, 0, b.body(3)); got.Of != 2 {
		t.Errorf("turn 1 has %d requests, want 2", got.Of)
	}
	if got := wantProven(t, back, 2, 0, b.body(2)); got.Of != 1 {
		t.Errorf("turn 2 has %d requests, want 1", got.Of)
	}
	wantProven(t, back, 3, 0, b.body(4))
}

func TestReplayKnowsWhatTheServerRefused(t *testing.T) {
	b := newBench(t, refuses(400, `{"error":{"message":"Unknown field: stream_options not supported"}}`), says("Fine."),
		says("Still."))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("Hello")))
	drain(s.Send(t.Context(), say("Hello again")))
	if strings.Contains(b.body(2), "stream_options") || !strings.Contains(b.body(1), "stream_options") {
		t.Fatalf("the requests were\n%s\n%s", b.body(1), b.body(2))
	}
	wantProven(t, s, 1, 0, b.body(2))
	wantProven(t, s, 2, 0, b.body(3))
}

func TestReplayAfterARefusalHasBothRequests(t *testing.T) {
	b := newBench(t,
		says(strings.Repeat("long answer ", 400)),
		refuses(400,
			`{"error":{"code":400,"type":"exceed_context_size_error","message":"request (1300 `+
				`tokens) exceeds the available context size (1024 tokens), try increasing it",`+
				`"n_prompt_tokens":1300,"n_ctx":1024}}`),
		says("It fits."))
	s := b.begin()
	drain(s.Send(t.Context(), say("Talk at length")))
	drain(s.Send(t.Context(), say("And?")))
	wantProven(t, s, 2, 1, b.body(2))
	if got := wantProven(t, s, 2, 0, b.body(3)); got.Of != 2 {
		t.Errorf("turn 2 has %d requests, want 2", got.Of)
	}
}

func TestReplaySaysWhereItCannotProve(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	records, err := b.deps.Store.Requests(t.Context(), s.Info().ID, store.RequestFilter{})
	if err != nil {
		t.Fatal(err)
	}
	other := func(change func(*store.Request)) record.Replayed {
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
	// A newer version of the rules that gives the same bytes is proof enough.
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
	if _, err := b.deps.Store.Append(t.Context(),
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

// plain is entries without lists that are there and empty.
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

// A request that came from another machine replays to the bytes that were sent there, whatever numbers its messages
// have here.
func TestARequestOfAnotherMachineReplays(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	drain(s.Send(t.Context(), say("First")))
	drain(s.Send(t.Context(), say("Second")))
	there, here := b.deps.Store, newStoreAt(t)
	first := store.Message{Message: history.Message{Role: history.User, Content: "Another chat"}}
	if _, _, err := here.Begin(t.Context(), store.Session{}, first); err != nil {
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
