package ui

import (
	"context"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store"
)

func TestWhatTheIndexLacksIsAddedBehindTheScreen(t *testing.T) {
	l := onStage(t, 120, 40)
	l.say("hello")
	ctx, db := context.Background(), l.options.Deps.Store
	long, err := db.ImportMessages(ctx, func(add func(store.Message) error) (store.Session, error) {
		for range 600 {
			if err := add(store.Message{Message: history.Message{Role: history.User, Content: "where is the needle", Status: history.Imported}}); err != nil {
				return store.Session{}, err
			}
		}
		return store.Session{}, nil
	}, store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Fork(ctx, long.ID, long.Leaf); err != nil {
		t.Fatalf("Fork: %v", err)
	}
	if left, err := db.Unindexed(ctx); left == 0 || err != nil {
		t.Fatalf("after a fork of a long session the index lacks %d messages, %v; want some", left, err)
	}
	l.run(l.index())
	if l.index() != nil {
		t.Error("the index is brought up to date twice at once")
	}
	l.until("the index is whole", func() bool { return !l.indexing.running })
	if left, err := db.Unindexed(ctx); left != 0 || err != nil {
		t.Errorf("the index lacks %d messages, %v; want none", left, err)
	}
}

func TestIndexingRestsAndSaysWhatIsLeft(t *testing.T) {
	l := onStage(t, 120, 40)
	for left, want := range map[int64]string{
		0: "", 1: "one message is not in the search index yet", 12_345: "12,345 messages are not in the search index yet",
	} {
		cmd := l.indexed(indexedMsg{left: left, took: time.Microsecond})
		l.sessions.Unindexed = l.indexing.left
		if got := l.sessions.Behind(); got != want {
			t.Errorf("with %d left it says %q, want %q", left, got, want)
		}
		if (cmd == nil) != (left == 0) || l.indexing.running != (left > 0) {
			t.Errorf("with %d left it goes on: %v", left, cmd != nil)
		}
	}
}
