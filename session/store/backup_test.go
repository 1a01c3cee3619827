package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"winnow/session/store/backup"
)

func TestRestoreWaitsForNoWindow(t *testing.T) {
	path := newPath(t)
	copied := filepath.Join(t.TempDir(), "backup.db")
	s, err := Open(context.Background(), path, Options{})
	must(t, "open", err)
	begin(t, s, "", "hello")
	must(t, "back up", s.Backup(context.Background(), copied))
	must(t, "close", s.Close())
	holdOpen(t, path)
	_, err = backup.Restore(context.Background(), path, copied, noon().t)
	if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), "quit winnow first") {
		t.Errorf("Restore under an open window = %v, want ErrBusy with its sentence", err)
	}
}

// holdOpen has another program keep the history open until the test ends.
func holdOpen(t *testing.T, path string) {
	t.Helper()
	cmd, out := run(t, "hold", path)
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the other program did not open the history: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // an error: it was killed
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

func TestMissingHistoryPointsToItsBackup(t *testing.T) {
	path := newPath(t)
	s, err := Open(context.Background(), path, Options{Now: noon().now})
	must(t, "open", err)
	begin(t, s, "", "hello")
	_, err = s.BackUpToday(context.Background())
	must(t, "back up", err)
	must(t, "close", s.Close())
	must(t, "remove", os.Remove(path))
	s = openAt(t, path, Options{Now: noon().now})
	if n := strings.Join(s.Notices(), " "); !strings.Contains(n,
		"a backup of 2026-11-21. winnow db restore latest") {
		t.Errorf("the notices are %q and do not name the backup", n)
	}
}
