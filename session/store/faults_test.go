package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

// damagedHistory makes a history with damage that loses no row.
func damagedHistory(t *testing.T) (path string, damaged []byte, was sound) {
	t.Helper()
	was = makeSound(t, false)
	path = newPath(t)
	must(t, "mkdir", os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, "write", os.WriteFile(path, was.files[""], 0o600))
	return path, spoil(t, path, "messages_parent"), was
}

// spoil overwrites the first pages of tables and indexes with zeros and returns the damaged file. The history must be
// closed.
func spoil(t *testing.T, path string, names ...string) (damaged []byte) {
	t.Helper()
	db := sqlite.OpenPool(path, sqlite.ModeImmutable, 1)
	defer db.Close()
	damaged, err := os.ReadFile(path)
	must(t, "read", err)
	for _, name := range names {
		var page int
		must(t, "find "+name, db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = ?", name).Scan(&page))
		clear(damaged[(page-1)*4096 : page*4096])
	}
	must(t, "damage", os.WriteFile(path, damaged, 0o600))
	return damaged
}

// Rename sets the title of a session.
func (w window) Rename(ctx context.Context, session, title string, from TitleSource) error {
	return w.UpdateSession(ctx, session, func(row *Session) { row.Title, row.TitleFrom = title, from })
}

// Delete moves a session to the trash.
func (w window) Delete(ctx context.Context, session string) error {
	return w.UpdateSession(ctx, session, func(row *Session) { row.Deleted = w.now() })
}

// Restore takes a session out of the trash.
func (w window) Restore(ctx context.Context, session string) error {
	return w.UpdateSession(ctx, session, func(row *Session) { row.Deleted = time.Time{} })
}

// Damage closes the windows and fills the first pages of tables with zeros.
func (w window) Damage(tables ...string) {
	w.p.exit()
	spoil(w.p.T, w.path, tables...)
}

// Change closes the windows and replaces bytes in the file.
func (w window) Change(from, to string) error {
	w.p.exit()
	b, err := os.ReadFile(w.path)
	must(w.p, "read", err)
	return os.WriteFile(w.path, bytes.ReplaceAll(b, []byte(from), []byte(to)), 0o600)
}

// Lose closes the windows and removes the file.
func (w window) Lose() error {
	w.p.exit()
	return os.Remove(w.path)
}

func (p *script) exit() {
	for name, s := range p.windows {
		must(p, "close", s.Close())
		delete(p.windows, name)
	}
}

// Write writes a file into the folder: a text, followed by the content of another file from the same offset on.
func (w window) Write(name, text, of string) error {
	b, _ := os.ReadFile(filepath.Join(filepath.Dir(w.path), of))
	b = append([]byte(text), b[min(len(b), len(text)):]...)
	return os.WriteFile(filepath.Join(filepath.Dir(w.path), name), b, 0o600)
}

// Checked returns the result of Check without values that depend on the schema.
func (w window) Checked(ctx context.Context) (CheckResult, error) {
	c, err := w.Check(ctx)
	c.Path, c.Bytes = "", 0
	return c, err
}

// RestoreFrom closes the windows and restores a file of the folder.
func (w window) RestoreFrom(ctx context.Context, name string) (aside string, err error) {
	w.p.exit()
	return backup.Restore(ctx, w.path, filepath.Join(filepath.Dir(w.path), name), w.p.clock.now())
}

// Copies returns the files beside the history that contain a session.
func (w window) Copies(ctx context.Context, session string) (names []string, err error) {
	all, err := backup.FilesWithSession(ctx, w.path, session)
	for _, c := range all {
		names = append(names, fmt.Sprint(c.Path, map[bool]string{true: " may, and is damaged"}[c.Damaged]))
	}
	return names, err
}

// PurgeCopies rewrites those files, and deletes those that cannot be rewritten.
func (w window) PurgeCopies(ctx context.Context, session string) (refused []string, err error) {
	all, err := backup.FilesWithSession(ctx, w.path, session)
	for _, c := range all {
		if e := PurgeCopy(ctx, c, session); e != nil {
			refused = append(refused, e.Error())
			err = errors.Join(err, backup.RemoveDatabase(c.Path))
		}
	}
	return refused, err
}

// Holding returns the files that contain a text.
func (w window) Holding(text string) []string { return holding(w.p.T, filepath.Dir(w.path), text) }

// Refused returns the error of opening a file in the folder, and verifies that the file is unchanged.
func (w window) Refused(ctx context.Context, name string, readOnly bool) error {
	if name != "" {
		name = filepath.Join(filepath.Dir(w.path), name)
	}
	before, _ := os.ReadFile(name)
	_, err := Open(ctx, name, Options{ReadOnly: readOnly})
	if after, _ := os.ReadFile(name); !bytes.Equal(after, before) {
		w.p.Errorf("%s was changed", name)
	}
	return err
}

func TestFileThatIsTakenAwayIsMissed(t *testing.T) {
	for name, take := range map[string]func(t *testing.T, path string){
		"moved":   func(t *testing.T, path string) { must(t, "move", os.Rename(path, path+".old")) },
		"deleted": func(t *testing.T, path string) { must(t, "remove", os.Remove(path)) },
		"the folder is deleted": func(t *testing.T, path string) {
			must(t, "remove", os.RemoveAll(filepath.Dir(path)))
		},
		"replaced": func(t *testing.T, path string) {
			must(t, "move", os.Rename(path, path+".old"))
			must(t, "write", os.WriteFile(path, []byte("another file"), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := newPath(t)
			s, err := Open(context.Background(), path, Options{})
			must(t, "open", err)
			session, first := begin(t, s, "", "hello")
			take(t, path)
			_, err = s.AppendMessage(context.Background(), says(session.ID, first.ID, history.User, "x"))
			if !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), "start winnow again") {
				t.Errorf("Append = %v, want ErrMoved with its sentence", err)
			}
			s.Close() // its error about the missing file does not matter
			if b, err := os.ReadFile(path); err == nil && string(b) != "another file" {
				t.Errorf("something was written to the other file: %q", b)
			}
		})
	}
}

// A program that dies while it changes the journal mode leaves a rollback journal. The transaction is rolled back and
// the history can be written.
func TestChangeThatWasLeftHalfDoneIsUndone(t *testing.T) {
	path, left := newPath(t), newPath(t)
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	speak(t, s, 2)
	must(t, "close", s.Close())
	db := sqlite.OpenPool(path, "mode=rw&_journal_mode=DELETE&_cache_size=2", 1)
	defer db.Close()
	tx, err := db.Begin()
	must(t, "begin", err)
	defer tx.Rollback()
	_, err = tx.Exec("UPDATE messages SET content = zeroblob(1000000)") // beyond the cache
	must(t, "change", err)
	must(t, "make the folder", os.Mkdir(filepath.Dir(left), 0o700))
	for _, end := range []string{"", "-journal"} {
		must(t, "copy", exec.Command("cp", path+end, left+end).Run())
	}
	again := openAt(t, left, Options{})
	session, last := begin(t, again, "", "hello")
	add(t, again, says(session.ID, last.ID, history.Assistant, "hi"))
	if c, err := again.Check(context.Background()); err != nil || !c.Sound() || again.Notices() != nil {
		t.Errorf("the history is %+v, %v, with the notices %q", c, err, again.Notices())
	}
}

// A file that another window has open is not set aside, because that window would keep writing to it.
func TestFileThatIsOpenElsewhereIsLeftAlone(t *testing.T) {
	t.Parallel()
	path, ctx := newPath(t), context.Background()
	s, err := Open(ctx, path, Options{})
	must(t, "open", err)
	speak(t, s, 2)
	copied := filepath.Join(t.TempDir(), "backup.db")
	must(t, "back up", s.Backup(ctx, copied))
	must(t, "close", s.Close())
	holdOpen(t, path)
	_, err = backup.Restore(ctx, path, copied, noon().t)
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "quit winnow first") {
		t.Errorf("Restore under an open window = %v, want ErrBusy with its sentence", err)
	}
	damaged := spoil(t, path, "messages")
	s, err = Open(ctx, path, Options{})
	switch {
	case err == nil:
		if !s.ReadOnly() || !strings.Contains(strings.Join(s.Notices(), " "), "it is open in another window") {
			t.Errorf("read-only is %v, the notices are %q", s.ReadOnly(), s.Notices())
		}
		must(t, "close", s.Close())
	case !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "it is open in another window"):
		t.Errorf("Open = %v, want a sentence about the other window", err)
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, damaged) {
		t.Errorf("the file was changed under the other window: %v", err)
	}
	if aside, _ := filepath.Glob(path + ".*"); len(aside) > 0 {
		t.Errorf("made beside it: %v", aside)
	}
}

// holdOpen starts another program that keeps the history open until the test ends.
func holdOpen(t *testing.T, path string) {
	t.Helper()
	cmd, out := run(t, "hold", path)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the other program did not open the history: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // returns an error, because it was killed
	})
}

// holdProgram opens a history and keeps it open.
func holdProgram(args []string) error {
	if _, err := Open(context.Background(), args[0], Options{}); err != nil {
		return err
	}
	os.Stdout.WriteString("x")
	time.Sleep(time.Hour) // it is killed
	return nil
}

// One window recovers the damaged file; the others wait and use the new one.
func TestManyStartOnADamagedFileAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		path, damaged, was := damagedHistory(t)
		chats(t, path, 4, 3)
		aside, err := filepath.Glob(path + ".damaged-*")
		must(t, "look", err)
		if len(aside) != 1 {
			t.Fatalf("set aside are %v, want one file", aside)
		}
		if b, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(b, damaged) {
			t.Errorf("set aside are %d bytes, %v; want the damaged file", len(b), err)
		}
		c, err := openAt(t, path, Options{}).Check(context.Background())
		if want := len(was.messages) + 4*6; err != nil || !c.Sound() || c.Messages != want {
			t.Errorf("the new file: %+v, %v; want %d messages", c, err, want)
		}
	}
}
