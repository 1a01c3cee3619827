package upkeep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
)

func opened(t *testing.T) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "winnow.db"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func run(do func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg { return do(context.Background()) }
}

// imported stores a long session, and a fork of it where that is asked for: the index lacks its messages then.
func imported(t *testing.T, db *store.Store, fork bool) {
	t.Helper()
	text := "where is the needle" + strings.Repeat(" in the haystack", 60)
	conversation := store.Conversation{Session: store.Session{}, Leaf: -1}
	for range 600 {
		conversation.Add(store.Message{
			Message: history.Message{Role: history.User, Content: text, Status: history.Imported},
		})
	}
	imported, err := db.Import(t.Context(), conversation, store.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	long := imported.Session
	if fork {
		if _, err := db.Fork(t.Context(), long.ID, long.Leaf); err != nil {
			t.Fatalf("Fork: %v", err)
		}
	}
}

func TestWhatTheIndexLacksIsAddedInTheBackground(t *testing.T) {
	db := opened(t)
	imported(t, db, true)
	if left, err := db.Unindexed(t.Context()); left == 0 || err != nil {
		t.Fatalf("after a fork of a long session the index lacks %d messages, %v; want some", left, err)
	}
	u := New(db, nil, run)
	cmd := u.Index()
	if u.Index() != nil {
		t.Error("the index is brought up to date twice at once")
	}
	for range 100 {
		msg, ok := cmd().(Msg)
		if !ok {
			t.Fatalf("a step ended with %T", msg)
		}
		if u, cmd = u.Update(msg); cmd == nil {
			break
		}
	}
	if left, err := db.Unindexed(t.Context()); left != 0 || u.Unindexed != 0 || err != nil {
		t.Errorf("the index lacks %d messages, %v; want none", left, err)
	}
}

func TestTheHistoryIsBackedUpAtAQuietMoment(t *testing.T) {
	db := opened(t)
	imported(t, db, false)
	u, cmd := New(db, nil, run).Update(QuietMsg{})
	if cmd == nil {
		t.Fatal("a quiet moment does nothing")
	}
	u, _ = u.Update(cmd().(Msg))
	if events := u.Events(); len(events) > 0 {
		t.Fatalf("the backup ended with %v", events)
	}
	if b, ok := db.NewestBackup(t.Context()); !ok || b.Messages != 600 {
		t.Errorf("the newest backup is %+v, %v; want one with 600 messages", b, ok)
	}
}

func TestOnlyTroubleIsReported(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("check it: %w", store.ErrDamaged), "event.News"},
		{errors.New("the disk is full"), "event.Notice"},
	} {
		u, _ := Model{}.Update(SavedMsg{c.err})
		if got := u.Events(); len(got) != 1 || fmt.Sprintf("%T", got[0]) != c.want {
			t.Errorf("%v: got %v, want one %s", c.err, got, c.want)
		}
	}
}
