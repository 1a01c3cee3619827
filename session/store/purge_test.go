package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/backup"
)

// purgeFixture is a history whose every text holds a token of its session, such as "tok00017x".
type purgeFixture struct {
	t      *testing.T
	s      *Store
	random *rand.Rand
	rows   []Session
	last   []int64
}

func token(session int) string { return fmt.Sprintf("tok%05dx", session) }

// text has the token in it many times, and is from some bytes to several pages long.
func (w *purgeFixture) text(session int) string {
	n := 1 + w.random.IntN(4)
	if w.random.IntN(4) == 0 {
		n = w.random.IntN(2000)
	}
	return strings.Repeat(token(session)+" ", n+1)
}

// plan has the token wherever a plan can have a text.
func (w *purgeFixture) plan(i int) *history.Plan {
	return &history.Plan{
		Added: []history.Added{{Text: w.text(i)}},
		Entries: []history.Entry{{
			ID: w.last[i], Disposition: history.Cut, Cause: history.Cause{Text: w.text(i)},
			Inserted: []history.Insert{{Text: w.text(i)}},
			Repairs:  []history.Repair{{Before: w.text(i), After: w.text(i)}},
		}},
	}
}

func (w *purgeFixture) begin() {
	t, ctx, i := w.t, context.Background(), len(w.rows)
	row, m, err := w.s.Begin(ctx, Session{
		Title: w.text(i), System: w.text(i), Dir: "/home/" + token(i),
		Tags: []string{token(i)},
	}, says("", 0, history.User, w.text(i)))
	must(t, "begin", err)
	w.rows, w.last = append(w.rows, row), append(w.last, m.ID)
}

// act does something to one of the sessions that leaves its token in the file.
func (w *purgeFixture) act(i int) {
	t, ctx, s, row := w.t, context.Background(), w.s, w.rows[i]
	switch w.random.IntN(11) {
	case 0, 1, 2:
		m := says(row.ID, w.last[i], history.User, w.text(i))
		m.Name, m.Reasoning = token(i), w.text(i)
		if w.random.IntN(3) == 0 {
			m.Parts = []history.Part{{Kind: history.TextPart, Name: token(i), Data: []byte(w.text(i))}}
			m.ToolCalls = []history.ToolCall{{ID: token(i), Name: token(i), Arguments: w.text(i)}}
		}
		w.last[i] = add(t, s, m).ID
	case 3:
		m := start(t, s, row.ID, w.last[i])
		for range w.random.IntN(6) {
			must(t, "checkpoint", s.Checkpoint(ctx, m.ID, w.text(i), w.text(i)))
		}
		m.Content, m.Status = w.text(i), history.Complete
		_, err := s.FinishAnswer(ctx, m, Request{Options: []byte(`{"a":"` + token(i) + `"}`), Plan: w.plan(i)})
		must(t, "finish", err)
		w.last[i] = m.ID
	case 4:
		must(t, "rename", s.Rename(ctx, row.ID, w.text(i), "user"))
		must(t, "system", s.Update(ctx, row.ID, func(row *Session) { row.System, row.SystemFixed = w.text(i), true }))
		row.Preset, row.Overrides = "balanced", "# "+w.text(i)
		must(t, "overrides", configure(s, row))
		must(t, "tags", s.Update(ctx, row.ID, func(row *Session) {
			row.Tags = []string{
				token(i) + "a",
				token(i) + "b",
			}
		}))
	case 5:
		must(t, "draft", s.SaveDraft(ctx, row.ID, Draft{Text: w.text(i)}))
	case 6:
		must(t, "draft", s.SaveDraft(ctx, row.ID, Draft{Text: ""}))
	case 7, 8:
		text := w.text(i)
		must(t, "prompt", s.AddPrompt(ctx, row.ID, Draft{Text: text, Folds: []Fold{{Path: "/" + token(i)}}}))
	case 9:
		must(t, "repair", s.AddRepairs(ctx, 1, map[int64][]history.Repair{w.last[i]: {{
			Kind:  "C1",
			Cause: history.Cause{Text: w.text(i)}, After: w.text(i),
		}}}))
		_, err := s.AddRequest(ctx, Request{Session: row.ID, Error: w.text(i), Plan: w.plan(i)})
		must(t, "request", err)
	case 10:
		_, err := s.AddSummary(ctx, Summary{
			Session: row.ID, Sources: history.IDs{{w.last[i], w.last[i]}}, Messages: 1,
			Text: w.text(i),
		})
		must(t, "summary", err)
	}
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

func TestPurgeLeavesNoByteOfASession(t *testing.T) {
	worlds := 6
	for n := range worlds {
		t.Run(fmt.Sprint("seed ", n), func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			w := &purgeFixture{
				t: t, s: openAt(t, path, Options{Now: noon().now}),
				random: rand.New(rand.NewPCG(uint64(n), 5)),
			}
			for range 12 {
				w.begin()
			}
			gone := map[int]bool{}
			for step := range 400 {
				i := w.random.IntN(len(w.rows))
				if gone[i] {
					continue
				}
				if step%40 != 39 {
					w.act(i)
					continue
				}
				must(t, "purge", w.s.Purge(context.Background(), w.rows[i].ID))
				gone[i] = true
				for _, f := range holding(t, filepath.Dir(path), token(i)) {
					t.Errorf("step %d: %s still holds text of the purged session %d", step, f, i)
				}
			}
			for i := range w.rows {
				if !gone[i] && len(holding(t, filepath.Dir(path), token(i))) == 0 {
					t.Errorf("nothing is left of session %d, which was not purged", i)
				}
			}
		})
	}
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
		INSERT INTO prompts (session, created_ms, text) VALUES
			(1, 1, CAST('tell me of secretword' AS BLOB)), (2, 1, CAST('tell me of staysword' AS BLOB));
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
