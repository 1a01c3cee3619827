// Package sqlite opens SQLite files with the settings that winnow needs, runs transactions, locks files, and holds the
// schema. It does not know the rows of conversations.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"runtime"

	"github.com/mattn/go-sqlite3"
)

// InMemory is the path of a database that writes nothing to disk.
const InMemory = ":memory:"

// Mode is the set of connection parameters for a purpose. mode=rw does not create a file, so that a missing file is
// noticed. secure_delete overwrites deleted and replaced data.
type Mode string

const (
	// ModeDurable writes data that must survive a power cut.
	ModeDurable Mode = "mode=rw&_txlock=immediate&_journal_mode=WAL&_secure_delete=on&_synchronous=FULL"
	// ModeFast writes data that survives a crash of winnow, while a power cut may lose the last moment.
	ModeFast Mode = "mode=rw&_txlock=immediate&_journal_mode=WAL&_secure_delete=on&_synchronous=NORMAL"
	// ModeReadOnly reads while others write, or reads a file without write permission.
	ModeReadOnly Mode = "mode=ro"
	// ModeRollBack rolls back the unfinished transaction of a program that died, and reads. ModeReadOnly cannot roll
	// back.
	ModeRollBack Mode = "mode=rw"
	// ModeExclusive reads a file with its write-ahead log on a full disk. It locks out all others, because it keeps the
	// index of the log in memory instead of in a shared file.
	ModeExclusive Mode = "mode=rw&_locking_mode=EXCLUSIVE"
	// ModeImmutable reads a file that nobody writes, in a folder without write permission.
	ModeImmutable Mode = "mode=ro&immutable=1"
	// ModeScratch writes a temporary file that is discarded if the program fails. Commits are synced to disk.
	ModeScratch Mode = "_synchronous=FULL&_journal_mode=MEMORY&_secure_delete=on"
)

// dsn returns the data source name. It makes the path absolute, because the path of a file: URI is absolute, and
// escapes it, so that a question mark in a name does not begin the parameters. The busy timeout is short because the
// store retries with its context. If a parameter occurs twice, the first one counts, so a Mode can override these.
func dsn(path string, m Mode) string {
	parameters := "?" + string(m) + "&_busy_timeout=250&_foreign_keys=on&_stmt_cache_size=64"
	if path == InMemory {
		return "file::memory:" + parameters
	}
	// If the working directory is gone, opening the relative path reports the error.
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + parameters
}

// connector opens connections and runs the pragmas that a data source name cannot express.
type connector struct {
	*sqlite3.SQLiteDriver
	dsn string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.SQLiteDriver }

// OpenPool returns a pool of at most max connections. It does not open one yet.
func OpenPool(path string, m Mode, max int) *sql.DB {
	db := sql.OpenDB(connector{&sqlite3.SQLiteDriver{ConnectHook: prepare}, dsn(path, m)})
	db.SetMaxOpenConns(max)
	db.SetMaxIdleConns(max)
	return db
}

// OpenUnchanging returns a connection for reading a file that nobody writes, including its write-ahead log if there is
// one.
func OpenUnchanging(path string) *sql.DB {
	if HasWAL(path) {
		return OpenPool(path, ModeReadOnly, 1)
	}
	return OpenPool(path, ModeImmutable, 1)
}

// prepare sets the pragmas of every connection. A foreign schema must not call functions, and a damaged cell must be
// reported when it is read. On macOS, fsync alone leaves the data in the cache of the drive.
func prepare(c *sqlite3.SQLiteConn) error {
	pragmas := "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
	if runtime.GOOS == "darwin" {
		pragmas += "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
	}
	_, err := c.Exec(pragmas, nil)
	return err
}

// TruncateWAL moves the write-ahead log into the database file and truncates the log. The error is busy if another
// transaction is reading from the log.
func TruncateWAL(ctx context.Context, db *sql.DB) error {
	var blocked, pages, moved int
	err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&blocked, &pages, &moved)
	if err == nil && blocked != 0 {
		err = sqlite3.Error{Code: sqlite3.ErrBusy}
	}
	return err
}
