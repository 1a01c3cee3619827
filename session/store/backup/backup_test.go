package backup

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"winnow/session/store/sqlite"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// history makes a history of so many sessions without messages at path.
func history(t *testing.T, path string, sessions int) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db := sqlite.Pool(path, sqlite.Durable, 1)
	defer db.Close()
	err := sqlite.InTx(t.Context(), db, func(tx *sql.Tx) error {
		if err := sqlite.Create(t.Context(), tx); err != nil {
			return err
		}
		for n := range sessions {
			const insert = `INSERT INTO sessions (id, created_ms, updated_ms, used) VALUES (?, 0, 0, ?)`
			_, err := tx.ExecContext(t.Context(), insert,
				fmt.Sprintf("session-%d", n), n)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// write is what Daily is given.
func write(ctx context.Context, path string) func(to string) error {
	return func(to string) error {
		db := sqlite.Pool(path, sqlite.Reading, 1)
		defer db.Close()
		return Write(ctx, db, path, to)
	}
}

func TestWriteNeverReplacesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "winnow.db")
	history(t, path, 2)
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := write(t.Context(), path)(to); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(to)
	err := write(t.Context(), path)(to)
	if after, _ := os.ReadFile(to); !errors.Is(err, fs.ErrExist) || !bytes.Equal(before, after) {
		t.Errorf("a second backup of that name = %v, want fs.ErrExist and the file as it was", err)
	}
	if left, _ := filepath.Glob(to + ".new-*"); len(left) > 0 {
		t.Errorf("drafts are left: %v", left)
	}
}

func TestDailyKeepsSeven(t *testing.T) {
	path := filepath.Join(t.TempDir(), "winnow.db")
	history(t, path, 1)
	asked := Name(path, noon)
	if err := write(t.Context(), path)(asked); err != nil {
		t.Fatal(err)
	}
	for day := range 9 {
		now := noon.AddDate(0, 0, day)
		if err := os.Chtimes(path, now, now); err != nil {
			t.Fatal(err)
		}
		made, err := Daily(path, now, write(t.Context(), path))
		if err != nil || made == "" {
			t.Fatalf("day %d: Daily = %q, %v", day, made, err)
		}
		if err := os.Chtimes(made, now, now); err != nil {
			t.Fatal(err)
		}
		if again, err := Daily(path, now, write(t.Context(), path)); again != "" || err != nil {
			t.Errorf("day %d: a second Daily = %q, %v, want none", day, again, err)
		}
	}
	all := List(path, noon.AddDate(0, 0, 9))
	if len(all) != 8 || all[0].Day.Day() != 28 || all[7].Path != asked {
		t.Errorf("the backups are %+v, want the newest seven and the one that was asked for", all)
	}
}

func TestRestoreSetsAsideWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	path, from := filepath.Join(dir, "winnow.db"), filepath.Join(dir, "other.db")
	history(t, from, 3)
	if aside, err := Restore(t.Context(), path, from, noon); aside != "" || err != nil {
		t.Fatalf("Restore where nothing is = %q, %v", aside, err)
	}
	history(t, filepath.Join(dir, "empty.db"), 0)
	for _, end := range []string{"", "-2"} {
		want := path + ".before-restore-20261120-120000" + end
		if aside, err := Restore(t.Context(), path, filepath.Join(dir, "empty.db"), noon); aside != want || err != nil {
			t.Errorf("Restore = %q, %v, want %q", aside, err, want)
		}
	}
	copies, err := Copies(t.Context(), path, "session-2")
	want := path + ".before-restore-20261120-120000"
	if err != nil || len(copies) != 1 || copies[0].Path != want || copies[0].Damaged {
		t.Errorf("the session is in %v (%v), want %s alone", copies, err, want)
	}
}

func TestRestoreRefusesADatabaseOfAnotherProgram(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "winnow.db"), filepath.Join(dir, "other.db")
	history(t, path, 1)
	db := sqlite.Pool(other, sqlite.Scratch, 1)
	if _, err := db.Exec("CREATE TABLE notes (id INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	before, _ := os.ReadFile(path)
	_, err := Restore(t.Context(), path, other, noon)
	if after, _ := os.ReadFile(path); !errors.Is(err, sqlite.ErrNotHistory) || !bytes.Equal(before, after) {
		t.Errorf("Restore = %v, want ErrNotHistory and the file as it was", err)
	}
}
