package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever a session contains, no byte of it is left in the folder after its purge.
func TestPurgeLeavesNoByteOfASession(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		folder := filepath.Join(dir, fmt.Sprint(n))
		c := noon()
		s, err := Open(t.Context(), filepath.Join(folder, "winnow.db"), Options{Now: c.now})
		must(t, "open", err)
		defer s.Close()
		w := &writer{T: rt, s: s, clock: c, marked: true}
		for range 4 {
			w.begin()
		}
		for range rapid.IntRange(10, 60).Draw(rt, "steps") {
			w.step("fork", "damage", "purge") // a fork contains the text of its parent
		}
		for i, id := range slices.Clone(w.ids) {
			if i%2 == 0 {
				w.must("purge", s.Purge(t.Context(), id))
			}
		}
		for i, id := range w.ids {
			if left := holding(t, folder, tokenOf(id)); (len(left) > 0) != (i%2 == 1) {
				rt.Fatalf("session %d of %d is in %v; every second one is purged", i, len(w.ids), left)
			}
		}
	})
}

// holding returns the files below a folder that contain a text.
func holding(t *testing.T, folder, text string) []string {
	t.Helper()
	var out []string
	must(t, "walk", filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(text)) {
			out = append(out, path)
		}
		return err
	}))
	return out
}

// A window that reads keeps purged text in the write-ahead log. Purge reports that, and FinishPurge overwrites it
// later.
func TestPurgeBesideAReaderIsFinishedLater(t *testing.T) {
	path := newPath(t)
	s := openAt(t, path, Options{Now: noon().now})
	s.busyTimeout = 50 * time.Millisecond
	ctx := context.Background()
	gone, _ := begin(t, s, "", strings.Repeat("secretword ", 400))
	begin(t, s, "", "stays")
	other := openAt(t, path, Options{})
	tx, err := other.reads.BeginTx(ctx, nil)
	must(t, "begin to read", err)
	defer tx.Rollback()
	var n int
	must(t, "read", tx.QueryRow("SELECT count(*) FROM messages").Scan(&n))
	if err := s.Purge(ctx, gone.ID); !errors.Is(err, ErrNotOverwritten) {
		t.Fatalf("Purge beside a reader = %v, want ErrNotOverwritten", err)
	}
	if _, err := s.Session(ctx, gone.ID); !errors.Is(err, ErrNotFound) {
		t.Errorf("the session is still there: %v", err)
	}
	must(t, "end the reading", tx.Rollback())
	must(t, "finish the purge", s.FinishPurge(ctx))
	if left := holding(t, filepath.Dir(path), "secretword"); len(left) > 0 {
		t.Errorf("%v still hold purged text", left)
	}
	if n := countOf(t, s, "SELECT count(*) FROM purged"); n != 0 {
		t.Error("the finished purge is still noted as unfinished")
	}
}
