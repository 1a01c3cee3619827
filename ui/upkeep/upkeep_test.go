package upkeep

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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

// imported stores a long session and, if asked to, a fork of it, whose messages the index lacks.
func imported(t *testing.T, db *store.Store, fork bool) {
	t.Helper()
	text := "where is the needle" + strings.Repeat(" in the haystack", 60)
	conversation := store.ImportedConversation{Session: store.Session{}, Leaf: -1}
	for range 600 {
		conversation.Add(store.Message{
			Message: history.Message{Role: history.User, Content: text, Status: history.Imported},
		})
	}
	imported, err := db.Import(t.Context(), conversation)
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
	u, _ := exchanging(t, nil)
	u.Deps.Store = db
	cmd := u.UpdateIndex()
	if u.UpdateIndex() != nil {
		t.Error("the index is brought up to date twice at once")
	}
	for range 200 {
		if cmd = step(t, cmd); cmd == nil {
			break
		}
	}
	if left, err := db.Unindexed(t.Context()); left != 0 || err != nil {
		t.Errorf("the index lacks %d messages, %v; want none", left, err)
	}
}

func TestTheHistoryIsBackedUpAtAQuietMoment(t *testing.T) {
	u, told := exchanging(t, nil)
	db := u.Deps.Store
	imported(t, db, false)
	if step(t, u.backUp()); len(*told) > 0 {
		t.Fatalf("the backup says %q", *told)
	}
	if b, ok := db.NewestBackup(); !ok || b.Bytes == 0 {
		t.Errorf("the newest backup is %+v, %v; want one", b, ok)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{store.ErrDamaged, "news: Part of the chat history is damaged. "}, // which stays until it is read
		{store.ErrDiskFull, "Today’s backup failed: "},
	} {
		*told = nil
		u.backedUp(fmt.Errorf("check the history: %w", c.err))
		if all := strings.Join(*told, ""); !strings.HasPrefix(all, c.want) || strings.Contains(all, "..") {
			t.Errorf("%v: the backup says %q, want %q", c.err, all, c.want)
		}
	}
}
