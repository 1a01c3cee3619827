package recovery

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"

	"winnow/session/store/sqlite"
)

// IsHistory reports whether a file that SQLite does not take for winnow's is a damaged history all the
// same, and not a text or another program's database that was named by mistake.
//
// A history shows itself by the number in its header, or by the names of its tables anywhere in the
// file or in its journal. Under winnow's own name a file in which nothing is recognised, such as one of zeros alone,
// is a history of which nothing is left.
func IsHistory(path string) bool {
	header := make([]byte, 100)
	n := readInto(path, header)
	if n >= 72 && binary.BigEndian.Uint32(header[68:]) == sqlite.ApplicationID && bytes.HasPrefix(header, []byte("SQLite format 3\x00")) {
		return true
	}
	if holdsText(path) {
		return false
	}
	if namesTables(path) || namesTables(path+"-wal") {
		return true
	}
	if n > 0 && n < len(header) && strings.HasPrefix("SQLite format 3\x00", string(header[:min(n, 16)])) {
		return true // the first bytes of a database, and no more
	}
	return filepath.Base(path) == "winnow.db" && !readable(path)
}

// readable reports whether SQLite reads a schema in the file, whatever program it is of.
func readable(path string) bool {
	db := sqlite.Pool(path, sqlite.Immutable, 1)
	defer db.Close()
	var things int
	err := db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&things)
	return err == nil && things > 0
}

func readInto(path string, buf []byte) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	n, _ := io.ReadFull(f, buf)
	return n
}

// holdsText reports whether a file has no NUL at its beginning, which every database has.
func holdsText(path string) bool {
	buf := make([]byte, 64<<10)
	n := readInto(path, buf)
	return n > 0 && !bytes.Contains(buf[:n], []byte{0})
}

// signs are texts that stand in the schema of every history, and hardly in any other file.
var signs = [][]byte{
	[]byte("CREATE INDEX messages_streaming ON messages (owner)"),
	[]byte("CREATE INDEX sessions_used ON sessions (used)"),
	[]byte("CREATE INDEX requests_turn ON requests (session, turn)"),
	[]byte("message it was forked at"),
	[]byte("never encoded again"),
}

// namesTables reports whether one of the signs is anywhere in a file.
func namesTables(path string) bool {
	names, err := sqlite.FileContains(path, signs...)
	return names && err == nil
}
