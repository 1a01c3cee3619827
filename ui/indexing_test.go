package ui

import (
	"context"
	"testing"
	"time"
)

func TestWhatTheIndexLacksIsAddedBehindTheScreen(t *testing.T) {
	l := onStage(t, 120, 40)
	l.say("where is the needle")
	ctx, history := context.Background(), l.options.Deps.Store
	if _, err := history.Fork(ctx, l.info.ID, l.session.Messages()[0].ID); err != nil {
		t.Fatalf("Fork: %v", err)
	}
	if left, err := history.Unindexed(ctx); left == 0 || err != nil {
		t.Fatalf("after a fork the index lacks %d messages, %v; want some", left, err)
	}
	l.run(l.index())
	if l.index() != nil {
		t.Error("the index is brought up to date twice at once")
	}
	l.until("the index is whole", func() bool { return !l.indexing.running })
	if left, err := history.Unindexed(ctx); left != 0 || err != nil {
		t.Errorf("the index lacks %d messages, %v; want none", left, err)
	}
}

func TestIndexingRestsAndSaysWhatIsLeft(t *testing.T) {
	l := onStage(t, 120, 40)
	for left, want := range map[int64]string{
		0: "", 1: "one message is not in the search index yet", 12_345: "12,345 messages are not in the search index yet",
	} {
		cmd := l.indexed(indexedMsg{left: left, took: time.Microsecond})
		if got := l.indexing.text(); got != want {
			t.Errorf("with %d left it says %q, want %q", left, got, want)
		}
		if (cmd == nil) != (left == 0) || l.indexing.running != (left > 0) {
			t.Errorf("with %d left it goes on: %v", left, cmd != nil)
		}
	}
}
