package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store/sqlite"
)

func TestOpenMakesFolderAndFilePrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder?mode=ro", "what? a=b&c#d%41", "file:späße 日本.db")
	s := openAt(t, path, Options{})
	begin(t, s, "", "hello")
	token, err := s.owner.Take(context.Background())
	must(t, "take the lock", err)
	must(t, "back up", s.Backup(context.Background(), path+".copy"))
	for name, want := range map[string]os.FileMode{
		filepath.Dir(path):               0o700 | os.ModeDir,
		path:                             0o600,
		path + ".copy":                   0o600,
		path + "-wal":                    0o600,
		path + "-shm":                    0o600,
		path + "-live-" + token:          0o600,
		filepath.Dir(filepath.Dir(path)): 0o700 | os.ModeDir,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Errorf("stat %s: %v", name, err)
			continue
		}
		if info.Mode() != want {
			t.Errorf("mode of %s is %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestFullDiskIsSaidAndChangesNothing(t *testing.T) {
	s := newStore(t)
	session, first := begin(t, s, "", "hello")
	pages := countOf(t, s, "PRAGMA page_count")
	_, err := s.durable.Exec("PRAGMA max_page_count = " + strconv.Itoa(pages))
	must(t, "limit", err)
	_, err = s.AppendMessage(context.Background(), says(session.ID, first.ID, history.User, strings.Repeat("x", 1<<20)))
	if !errors.Is(err, ErrDiskFull) || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("Append on a full disk = %v, want ErrDiskFull with its sentence", err)
	}
	if got := sessionOf(t, s, session.ID); got.Messages != 1 || got.Leaf != first.ID {
		t.Errorf("after a failed Append the session has %d messages and leaf %d, want 1 and %d", got.Messages, got.Leaf,
			first.ID)
	}
	_, err = s.durable.Exec("PRAGMA max_page_count = 1000000")
	must(t, "unlimit", err)
	add(t, s, says(session.ID, first.ID, history.User, "there is room again"))
}

func TestBusyFileIsWaitedForAndThenSaid(t *testing.T) {
	path := newPath(t)
	s := openAt(t, path, Options{})
	other := openAt(t, path, Options{})
	session, first := begin(t, s, "", "hello")
	tx, err := other.durable.Begin()
	must(t, "hold the lock", err)

	s.busyTimeout = 0
	_, err = s.AppendMessage(context.Background(), says(session.ID, first.ID, history.User, "x"))
	if !errors.Is(err, ErrBusy) || strings.Contains(err.Error(), "locked") {
		t.Errorf("Append against a lock = %v, want ErrBusy and nothing about locks", err)
	}

	s.busyTimeout = busyTimeout
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err = s.AppendMessage(ctx, says(session.ID, first.ID, history.User, "x")); !errors.Is(err, context.Canceled) {
		t.Errorf("Append with a cancelled context = %v, want context.Canceled", err)
	}

	stored := make(chan error)
	go func() {
		_, err := s.AppendMessage(context.Background(), says(session.ID, first.ID, history.User, "waited"))
		stored <- err
	}()
	must(t, "rollback", tx.Rollback())
	if err := <-stored; err != nil {
		t.Errorf("Append after the lock was given back: %v", err)
	}
}

func TestMemoryLeavesNothingOnDisk(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := openAt(t, sqlite.InMemory, Options{})
	session, first := begin(t, s, "", "hello")
	a, err := s.StartAnswer(context.Background(), says(session.ID, first.ID, history.Assistant, "hi there"))
	if got := read(t, s, a.ID).Content; got != "hi there" || err != nil {
		t.Errorf("content in memory is %q, %v, want %q", got, err, "hi there")
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("on disk: %v, %v; want nothing", left, err)
	}
}
