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
	old, err := Open(ctx, filepath.Join(t.TempDir(), "old.db"), Options{Now: noon().now})
	must(t, "open", err)
	fill := `
		INSERT INTO sessions (n, id, created_ms, updated_ms, used, title) VALUES
			(1, '01900000-0000-7000-8000-000000000001', 1, 1, 1, 'secretword'),
			(2, '01900000-0000-7000-8000-000000000002', 1, 1, 2, 'stays');
		INSERT INTO messages (id, session, seq, role, status, created_ms, hash, content) VALUES
			(1, 1, 1, 'user', 'complete', 1, x'00', CAST('tell me of secretword' AS BLOB)),
			(2, 2, 1, 'user', 'complete', 1, x'00', CAST('tell me of staysword' AS BLOB));
		INSERT INTO prompts (session, text) VALUES
			(1, CAST('tell me of secretword' AS BLOB)), (2, CAST('tell me of staysword' AS BLOB));
		INSERT INTO drafts (session, text) VALUES (1, CAST('secretword' AS BLOB));
		UPDATE sessions SET leaf = n, messages = 1, turns = 1;`
	_, err = old.full.Exec(fill)
	must(t, "fill", err)
	made, aside := filepath.Join(filepath.Join(filepath.Dir(path), "backups"),
		"winnow-20261101.db"), path+".before-restore-20261102-101112"
	must(t, "folder", os.MkdirAll(filepath.Dir(made), 0o700))
	for _, to := range []string{made, aside} {
		must(t, "copy", old.Backup(ctx, to))
	}
	_, err = old.full.Exec(`
		DELETE FROM sessions WHERE n = 1;
		DELETE FROM prompts WHERE id = 1;
		DELETE FROM drafts;
		VACUUM`)
	must(t, "purge", err)
	must(t, "copy", old.Backup(ctx, filepath.Join(filepath.Join(filepath.Dir(path), "backups"), "winnow-20261104.db")))
	damaged := path + ".damaged-20261105-101112"
	whole, err := os.ReadFile(made)
	must(t, "read", err)
	must(t, "damage", os.WriteFile(damaged, append([]byte("damaged"), whole[100:]...), 0o600))
	must(t, "write", os.WriteFile(damaged+"-wal", []byte("x"), 0o600))
	must(t, "close", old.Close())

	session := Session{ID: "01900000-0000-7000-8000-000000000001", Created: time.Date(2026, 10, 1, 0, 0, 0, 0,
		time.UTC)}
	all, err := backup.Copies(ctx, s.Path(), session.ID)
	want := []backup.Copy{{Path: made}, {Path: aside}, {Path: damaged, Damaged: true}}
	if err != nil || !slices.Equal(all, want) {
		t.Fatalf("Copies = %v, %v\nwant %v", all, err, want)
	}
	for _, c := range all {
		err := PurgeCopy(ctx, c, session)
		if c.Damaged != errors.Is(err, ErrDamaged) || !c.Damaged && err != nil {
			t.Errorf("PurgeCopy(%v) = %v", c, err)
		}
		if c.Damaged {
			must(t, "delete", c.Delete())
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
