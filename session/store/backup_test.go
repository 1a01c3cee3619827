package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
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

func TestCheckNamesWhatIsDamaged(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	_, m := begin(t, s, "", "hello")
	begin(t, s, "", "well")
	if c, err := s.Check(ctx); err != nil || !c.Sound() || c.Sessions != 2 || c.Messages != 2 || c.Schema != 1 {
		t.Errorf("Check of a sound history = %+v, %v", c, err)
	}
	_, err := s.full.Exec(`UPDATE messages SET content = x'00' WHERE id = ?`, m.ID)
	must(t, "damage", err)
	_, err = s.full.Exec("PRAGMA foreign_keys = OFF; INSERT INTO windows (session, owner) VALUES (99, 'lost')")
	must(t, "damage", err)
	c, err := s.Check(ctx)
	must(t, "check", err)
	if want := []int64{m.ID}; !reflect.DeepEqual(c.Damaged, want) {
		t.Errorf("damaged are %v, want %v", c.Damaged, want)
	}
	if want := []string{
		"rows that belong to nothing: 1",
	}; !reflect.DeepEqual(c.Faults, want) {
		t.Errorf("the faults are %q, want %q", c.Faults, want)
	}
}
