package recovery

import (
	"path/filepath"

	"winnow/session/store/sqlite"
)

// IsHistory reports whether a file that SQLite does not take for winnow's is a damaged history all the same, and not
// another file that was named by mistake: by its schema anywhere in the file or its log. Under winnow's own name every
// file is one that SQLite cannot read: it is set aside, and so nothing of it is lost.
func IsHistory(path string) bool {
	for _, end := range []string{"", "-wal"} {
		found, err := sqlite.FileContains(path+end,
			[]byte("CREATE INDEX messages_streaming ON messages (owner)"), []byte("message it was forked at"))
		if found && err == nil {
			return true
		}
	}
	if filepath.Base(path) != "winnow.db" {
		return false
	}
	db := sqlite.Pool(path, sqlite.Immutable, 1)
	defer db.Close()
	var things int
	err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&things)
	return err != nil || things == 0
}
