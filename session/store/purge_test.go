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

	"winnow/session/store/backup"
)

// Whatever was said in a session, no byte of it is in the folder after its purge.
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
			w.step("fork", "damage", "purge") // a fork has what its parent said
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

// holding are the files below a folder that hold a text.
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

// A window that reads keeps the purged text in the write-ahead log. Purge says so, and FinishPurge goes on.
func TestPurgeBesideAReaderIsFinishedLater(t *testing.T) {
	path := newPath(t)
	s := openAt(t, path, Options{Now: noon().now})
	s.patience = 50 * time.Millisecond
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

// The copies beside the history are named, and rewritten or deleted where that is asked for.
func TestPurgeCopies(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newPath(t)
	s := openAt(t, path, Options{Now: noon().now})
	made := filepath.Join(filepath.Dir(path), "backups", "winnow-20261101.db")
	aside := path + ".before-restore-20261102-101112"
	clock := noon()
	clock.add(-60 * 24 * time.Hour)
	old, err := Open(ctx, filepath.Join(t.TempDir(), "old.db"), Options{Now: clock.now})
	must(t, "open", err)
	session, _ := begin(t, old, "secretword", "tell me of secretword")
	stays, _ := begin(t, old, "stays", "tell me of staysword")
	for _, row := range []Session{session, stays} {
		must(t, "prompt", old.AddPrompt(ctx, row.ID, Draft{Text: "tell me of " + row.Title + "word"}))
	}
	must(t, "draft", old.SaveDraft(ctx, session.ID, Draft{Text: "secretword"}))
	must(t, "folder", os.MkdirAll(filepath.Dir(made), 0o700))
	for _, to := range []string{made, aside} {
		must(t, "copy", old.Backup(ctx, to))
	}
	must(t, "purge", old.Purge(ctx, session.ID))
	must(t, "copy", old.Backup(ctx, filepath.Join(filepath.Dir(made), "winnow-20261104.db")))
	damaged := path + ".damaged-20261105-101112"
	whole, err := os.ReadFile(made)
	must(t, "read", err)
	must(t, "damage", os.WriteFile(damaged, append([]byte("damaged"), whole[100:]...), 0o600))
	must(t, "write", os.WriteFile(damaged+"-wal", []byte("x"), 0o600))
	must(t, "close", old.Close())

	all, err := backup.Copies(ctx, s.Path(), session.ID)
	names := ""
	for _, c := range all {
		names += fmt.Sprintln(c.Path, c.Damaged)
	}
	if want := fmt.Sprintln(made, false) + fmt.Sprintln(aside, false) + fmt.Sprintln(damaged, true); names != want {
		t.Fatalf("Copies are\n%s, %v\nwant\n%s", names, err, want)
	}
	for _, c := range all {
		err := PurgeCopy(ctx, c, session.ID)
		if c.Damaged != errors.Is(err, ErrDamaged) || !c.Damaged && err != nil {
			t.Errorf("PurgeCopy(%v) = %v", c, err)
		}
		if c.Damaged {
			must(t, "delete", backup.Discard(c.Path))
		}
	}
	if left := holding(t, filepath.Dir(path), "secretword"); len(left) > 0 {
		t.Errorf("%v still hold purged text", left)
	}
	if kept := holding(t, filepath.Dir(path), "staysword"); len(kept) != 3 {
		t.Errorf("the other session is in %v, want 3 files", kept)
	}
	if again, err := backup.Copies(ctx, s.Path(), session.ID); err != nil || len(again) > 0 {
		t.Errorf("after that Copies = %v, %v", again, err)
	}
	if after, err := os.Stat(made); err != nil || after.Mode() != 0o600 {
		t.Errorf("the rewritten backup is %v, %v", after, err)
	}
	got := openAt(t, made, Options{Now: noon().now})
	if all, err := got.Sessions(ctx, Filter{}); err != nil || len(all) != 1 || all[0].Title != "stays" ||
		got.salvaged != nil {
		t.Errorf("the rewritten backup holds %+v, %v; salvaged: %v", all, err, got.salvaged)
	}
}
