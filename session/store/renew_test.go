package store

import (
	"context"
	"fmt"
	"testing"

	"winnow/history"
)

// spoilIndex makes the index unreadable and leaves everything else as it is.
func spoilIndex(t *testing.T, s *Store) {
	t.Helper()
	for _, query := range []string{
		"UPDATE found_segdir SET root = x'00ffffffffffffffffff7f'",
		"UPDATE found_segments SET block = x'00ffffffffffffffffff7f'",
	} {
		_, err := s.full.ExecContext(context.Background(), query)
		must(t, query, err)
	}
}

func TestADamagedIndexIsMadeAnew(t *testing.T) {
	s := newStore(t)
	session, last := begin(t, s, "", "needle 0")
	gone, _ := begin(t, s, "", "needle to be purged")
	for i := 1; i <= 40; i++ {
		if i%10 == 5 {
			spoilIndex(t, s)
		}
		last = add(t, s, says(session.ID, last.ID, history.User, fmt.Sprint("needle ", i)))
	}
	spoilIndex(t, s)
	if got := hitsOf(t, s, Search{Text: "needle"}); len(got) != 0 {
		t.Errorf("a damaged index finds %q", got)
	}
	if left, err := s.Unindexed(context.Background()); left == 0 || err != nil {
		t.Errorf("a search leaves the damaged index as it is: %d, %v", left, err)
	}
	spoilIndex(t, s)
	must(t, "purge", s.Purge(context.Background(), gone.ID))
	indexAll(t, s)
	if got := hitsOf(t, s, Search{Text: "needle"}); len(got) != 41 {
		t.Errorf("in the end Search(needle) finds %d messages, want 41: %q", len(got), got)
	}
}
