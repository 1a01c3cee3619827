package store

import (
	"context"
	"database/sql"
	"slices"
	"testing"

	"github.com/google/uuid"
)

func wantLeased(t *testing.T, s *Store, want ...string) {
	t.Helper()
	got, err := s.Leased(context.Background())
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Elsewhere = %q, %v; want %q", got, err, want)
	}
}

func TestElsewhereListsWhatLivingWindowsHaveOpen(t *testing.T) {
	path := newPath(t)
	one, two := openAt(t, path, Options{}), openAt(t, path, Options{})
	first, _ := begin(t, one, "", "hello")
	second, _ := begin(t, one, "", "another")
	gone, _ := begin(t, one, "", "a third")
	wantLeased(t, one)

	release := takeLease(t, one, first.ID, false)
	takeLease(t, one, second.ID, false)
	must(t, "leave the mark of a dead window", one.jot(context.Background(), "mark", doing(func(tx *sql.Tx) error {
		_, err := tx.Exec(`
			INSERT INTO windows (session, owner)
			SELECT n, ? FROM sessions WHERE id = ?`, uuid.NewString(), gone.ID)
		return err
	})))
	wantLeased(t, one)
	wantLeased(t, two, first.ID, second.ID)
	release()
	wantLeased(t, two, second.ID)
	must(t, "close", one.Close())
	wantLeased(t, two)
}
