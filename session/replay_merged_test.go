package session

import (
	"fmt"
	"path/filepath"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// A request that came from another machine replays to the bytes that were sent there, whatever numbers its messages
// have here.
func TestARequestOfAnotherMachineReplays(t *testing.T) {
	ctx := t.Context()
	f := readRecordFile(t)
	there := f.store()
	from := there.deps.Store

	b := newBench(t)
	var err error
	if b.deps.Store, err = store.Open(ctx, filepath.Join(t.TempDir(), "winnow.db"), store.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.deps.Store.Close() })
	for i := range 7 {
		m := store.Message{Message: history.Message{Role: history.User, Content: fmt.Sprint("other ", i)}}
		if _, _, err := b.deps.Store.Begin(ctx, store.Session{}, m); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]*store.Store{"there": from, "here": b.deps.Store} {
		if _, err := s.Sync().Join(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	sendSegments(t, from, b.deps.Store)
	here := b.open(there.Info().ID)
	if len(f.turns()) == 0 {
		t.Fatal("no request is compared")
	}
	for _, turn := range f.turns() {
		got, err := here.Records().Replay(ctx, turn, 0)
		if err != nil {
			t.Fatalf("replay turn %d: %v", turn, err)
		}
		if !got.Proven || string(got.Body) != f.sent(turn) {
			t.Errorf("turn %d is proven: %v (%s), and its bytes are\n%s\nwhere\n%s\nwere sent", turn, got.Proven,
				got.Doubt, got.Body, f.sent(turn))
		}
	}
}
