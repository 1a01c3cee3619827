package recovery

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"winnow/session/store/sqlite"
)

// signs are texts of the schema of every history, and hardly of any other file.
var signs = [][]byte{
	[]byte("CREATE INDEX messages_streaming ON messages (owner)"),
	[]byte("CREATE INDEX sessions_used ON sessions (used)"),
	[]byte("CREATE INDEX requests_turn ON requests (session, turn)"),
	[]byte("message it was forked at"),
	[]byte("never encoded again"),
}

// IsHistory reports whether a file that SQLite does not take for winnow's is a damaged history all the same, and not a
// text or another program's database that was named by mistake: by its schema anywhere in the file or its log, or by
// the first bytes of a database where there are no more. Under winnow's own name a file without any text, such as one of
// zeros alone, is a history of which nothing is left.
func IsHistory(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 64<<10)
	n, _ := io.ReadFull(f, head)
	head = head[:n]
	magic := []byte("SQLite format 3\x00")
	if n > 0 && n < 100 && (bytes.HasPrefix(head, magic) || bytes.HasPrefix(magic, head)) {
		return true
	}
	if n > 0 && !bytes.Contains(head, []byte{0}) {
		return false
	}
	for _, end := range []string{"", "-wal"} {
		if found, err := sqlite.FileContains(path+end, signs...); found && err == nil {
			return true
		}
	}
	return filepath.Base(path) == "winnow.db" && !isDatabase(path)
}

// isDatabase reports whether SQLite reads a schema in the file, whatever program it is of.
func isDatabase(path string) bool {
	db := sqlite.Pool(path, sqlite.Immutable, 1)
	defer db.Close()
	var things int
	err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&things)
	return err == nil && things > 0
}
