package sqlite

import (
	"os"
	"path/filepath"
	"testing"
)

// A relative path is relative to the working directory.
func TestPoolOpensARelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("backups", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"logs.db", "./logs2.db", "backups/../100% of what?.db"} {
		for _, mode := range []Mode{ModeScratch, ModeReadOnly} {
			db := OpenPool(path, mode, 1)
			var tables int
			if err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
				t.Errorf("read %s in mode %s: %v", path, mode, err)
			}
			if mode == ModeScratch {
				if _, err := db.Exec("CREATE TABLE kept (a)"); err != nil {
					t.Errorf("write %s: %v", path, err)
				}
			} else if tables != 1 {
				t.Errorf("%s has %d tables, want 1", path, tables)
			}
			db.Close()
		}
		if _, err := os.Stat(filepath.Clean(path)); err != nil {
			t.Errorf("the file is not in the working folder: %v", err)
		}
	}
}
