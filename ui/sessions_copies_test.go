package ui

import (
	"os"
	"path/filepath"
	"testing"

	"winnow/session/store/backup"
)

// After a purge the list asks about the files that still hold the session, and goes on asking about those
// that cannot be rewritten.
func TestPurgeAsksAboutTheCopies(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread", "parser")
	db := l.current.With.Store
	if err := db.Backup(t.Context(), db.BackupName()); err != nil {
		t.Fatal(err)
	}
	damaged := db.Path() + ".damaged-20990101-000000"
	if err := os.WriteFile(damaged, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	l.press("ctrl+s")
	l.lists("parser", "bread")
	l.press("ctrl+d")
	l.lists("bread")
	l.press("shift+tab", "shift+tab")
	l.lists("parser")
	l.press("ctrl+d", "y")
	l.shows("2 backups and files set aside still contain it. Rewrite them without it?")
	l.shows("winnow.db.damaged-20990101-000000")
	l.press("x", "enter")
	l.shows("y rewrites them, ctrl+d deletes them, n keeps them.")
	l.press("y")
	l.shows("A damaged file that was set aside may still contain it. Delete the file?")
	l.press("y")
	l.shows("ctrl+d deletes them, n keeps them.")
	files, err := backup.Copies(t.Context(), db.Path(), kept["parser"].ID, kept["parser"].Created)
	if err != nil || len(files) != 1 || filepath.Base(files[0].Path) != filepath.Base(damaged) {
		t.Errorf("the files that may hold it are %v, %v; want the damaged one", files, err)
	}
	l.press("ctrl+d")
	l.shows("Deleted: winnow.db.damaged-20990101-000000.")
	if _, err := os.Stat(damaged); !os.IsNotExist(err) {
		t.Errorf("the damaged file: %v", err)
	}
	l.press("shift+tab")
	l.lists("bread")
}
