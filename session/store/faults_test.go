package store

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// damagedHistory is a history whose first page is gone, and what it held.
func damagedHistory(t *testing.T) (path string, damaged []byte, was sound) {
	t.Helper()
	was = makeSound(t, false)
	path = newPath(t)
	must(t, "mkdir", os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, "write", os.WriteFile(path, was.files[""], 0o600))
	return path, damageIndex(t, path), was
}

// damageIndex damages a page of a history so that no row is lost, and returns the damaged file.
func damageIndex(t *testing.T, path string) (damaged []byte) {
	t.Helper()
	db := sqlite.Pool(path, sqlite.Immutable, 1)
	defer db.Close()
	var root int
	must(t, "find", db.QueryRow("SELECT rootpage FROM sqlite_schema WHERE name = 'messages_parent'").Scan(&root))
	return spoil(t, path, root, 0)
}

// spoil fills a page of a file with a byte, and returns the damaged file.
func spoil(t *testing.T, path string, page int, with byte) (damaged []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, "open", err)
	_, err = f.WriteAt(bytes.Repeat([]byte{with}, 4096), int64(page-1)*4096)
	must(t, "damage", errors.Join(err, f.Close()))
	damaged, err = os.ReadFile(path)
	must(t, "read", err)
	return damaged
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
			_, err = s.Append(context.Background(), says(session.ID, first.ID, history.User, "x"))
			if !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), "start winnow again") {
				t.Errorf("Append = %v, want ErrMoved with its sentence", err)
			}
			s.Close() // what it says of the file that is gone does not matter
			if b, err := os.ReadFile(path); err == nil && string(b) != "another file" {
				t.Errorf("something was written to the other file: %q", b)
			}
		})
	}
}

// Another window would go on writing to the file that is set aside, and nobody would find that.
func TestDamagedFileThatIsOpenElsewhereIsLeftAlone(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	speak(t, s, 2)
	root := countOf(t, s, "SELECT rootpage FROM sqlite_schema WHERE name = 'messages'")
	must(t, "close", s.Close())
	holdOpen(t, path)
	damaged := spoil(t, path, root, 0)
	s, err = Open(context.Background(), path, Options{})
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

func TestDamagedFileBehindALinkIsSavedThere(t *testing.T) {
	path, damaged, was := damagedHistory(t)
	link := filepath.Join(t.TempDir(), "link.db")
	must(t, "link", os.Symlink(path, link))
	s := openAt(t, link, Options{Now: noon().now})
	got, met := salvagedBy(s)
	if !met || got.Messages != len(was.prints) || got.File != path+".damaged-20261121-120000" {
		t.Errorf("salvaged is %+v, %v; want %d messages and the file beside %s", got, met, len(was.prints), path)
	}
	if to, err := os.Readlink(link); err != nil || to != path {
		t.Errorf("the link leads to %s, %v; want %s", to, err, path)
	}
	if b, err := os.ReadFile(got.File); err != nil || !bytes.Equal(b, damaged) {
		t.Errorf("set aside are %d bytes, %v", len(b), err)
	}
}

// A damage that is met while reading is looked into at the next start, however large the file is.
func TestDamageThatIsMetIsMendedByTheNextStart(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{Now: noon().now})
	must(t, "open", err)
	session, last := begin(t, s, "large", "hello")
	for range 3 {
		last = add(t, s, says(session.ID, last.ID, history.User, strings.Repeat("a long text ", 400_000)))
	}
	_, err = s.full.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	must(t, "checkpoint", err)
	root := countOf(t, s, "SELECT rootpage FROM sqlite_schema WHERE name = 'requests'")
	must(t, "close", s.Close())
	spoil(t, path, root, 0xff)

	s, err = Open(context.Background(), path, Options{Now: noon().now})
	must(t, "open", err)
	if s.Salvaged() {
		t.Fatal("a large file was read as a whole before it was opened")
	}
	if _, err := s.BackUpToday(context.Background()); !errors.Is(err, ErrDamaged) {
		t.Errorf("BackUpToday = %v, want ErrDamaged", err)
	}
	must(t, "close", s.Close())
	s = openAt(t, path, Options{Now: noon().now})
	got, met := salvagedBy(s)
	if !met || got.Messages != 4 || got.LostMessages != 0 {
		t.Errorf("the next start saved %+v, %v; want 4 messages", got, met)
	}
	if there(s.marker()) {
		t.Error("the marker is still there")
	}
}

// One window saves the damaged file; the others wait for it and go on with the new one.
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
		if want := len(was.prints) + 4*6; err != nil || !c.Sound() || c.Messages != want {
			t.Errorf("the new file: %+v, %v; want %d messages", c, err, want)
		}
	}
}
