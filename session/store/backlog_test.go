package store

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"winnow/history"
)

// oldMessages writes messages of one session past the index, as they stand in a history from before it.
func oldMessages(t testing.TB, s *Store, n int, text func(i int) string) Session {
	t.Helper()
	ctx := context.Background()
	session, last := begin(t, s, "old", "the first one")
	must(t, "fill", s.jot(ctx, "fill", func(t *tx) {
		key := sessionKey(t, session.ID)
		for seq := 2; seq <= n; seq++ {
			m := says(session.ID, last.ID, history.User, text(seq))
			m.Status = history.Streaming // which is not indexed
			m.Seq, m.ID = seq, s.newID(t)
			insertMessage(t, key, m, "")
			last.ID = m.ID
		}
		t.exec(`UPDATE messages SET status = 'complete' WHERE session = ?`, key)
	}))
	return session
}

// indexAll works the backlog off and returns how many steps that took.
func indexAll(t testing.TB, s *Store) int {
	t.Helper()
	for steps := 1; ; steps++ {
		left, err := s.IndexSome(context.Background())
		must(t, "index some", err)
		if left == 0 {
			return steps
		}
	}
}

func TestTheBacklogIsWorkedOffNewestFirst(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	long := 5_001
	oldMessages(t, s, long, func(i int) string { return fmt.Sprint("needle ", i) })
	if left, err := s.Unindexed(ctx); err != nil || left != int64(long-1) {
		t.Errorf("Unindexed = %d, %v; want %d", left, err, long-1)
	}
	left, err := s.IndexSome(ctx)
	must(t, "index some", err)
	if left <= 0 || left >= int64(long) {
		t.Errorf("after one step %d are left, want some of %d", left, long)
	}
	if got, want := hitsOf(t, s, Search{Text: fmt.Sprint(long)}), fmt.Sprintf("needle [%d]",
		long); !reflect.DeepEqual(got, []string{want}) {
		t.Errorf("after one step the newest message: %q, want %q", got, want)
	}
	if got := hitsOf(t, s, Search{Text: "needle 100 "}); len(got) != 0 {
		t.Errorf("after one step an old message is found already: %q", got)
	}
	indexAll(t, s)
	for _, text := range []string{"first", "needle 100 ", "needle 4999 "} {
		if got := hitsOf(t, s, Search{Text: text}); len(got) != 1 {
			t.Errorf("in the end Search(%s) finds %q, want one", text, got)
		}
	}
	if n := countOf(t, s, "SELECT count(*) FROM found_docsize"); n != long {
		t.Errorf("the index has %d messages, want %d", n, long)
	}
}
