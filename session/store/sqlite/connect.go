// Package sqlite opens SQLite files with the settings that winnow needs, runs transactions, takes locks on
// files, and holds the schema. It knows no row of a conversation.
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

// InMemory is the path of a store that leaves nothing on disk.
const InMemory = ":memory:"

// Mode is what a connection is for: the parameters of its data source name. mode=rw never makes a file: one that is
// gone must be missed. With secure_delete what was purged or replaced is overwritten.
type Mode string

// The modes.
const (
	// ModeDurable writes what must survive a power cut.
	ModeDurable Mode = "mode=rw&_txlock=immediate&_journal_mode=WAL&_secure_delete=on&_synchronous=FULL"
	// ModeFast writes what may lose the last moment to a power cut, never to a crash of winnow.
	ModeFast Mode = "mode=rw&_txlock=immediate&_journal_mode=WAL&_secure_delete=on&_synchronous=NORMAL"
	// ModeReadOnly reads beside the writers, or a file that may not be written.
	ModeReadOnly Mode = "mode=ro"
	// ModeRollBack undoes a change that a program left half done when it died, and reads. ReadOnly cannot.
	ModeRollBack Mode = "mode=rw"
	// ModeExclusive reads a file with its write-ahead log on a full disk, and keeps all others out: the index of the log is
	// then in memory, not in a file.
	ModeExclusive Mode = "mode=rw&_locking_mode=EXCLUSIVE"
	// ModeImmutable reads a file that nobody writes, in a folder that may not be written.
	ModeImmutable Mode = "mode=ro&immutable=1"
	// ModeScratch writes a file that is thrown away unless it comes to its end. What is committed is on the disk.
	ModeScratch Mode = "_synchronous=FULL&_journal_mode=MEMORY&_secure_delete=on"
)

// dsn names the file for the driver. The path is made absolute, because one in a URI begins at the root, and escaped,
// so that a question mark in a folder's name does not start the parameters. SQLite waits for others a quarter of a
// second only, because the store tries again and heeds its context; of a parameter that is there twice the first
// counts.
func dsn(path string, m Mode) string {
	parameters := "?" + string(m) + "&_busy_timeout=250&_foreign_keys=on&_stmt_cache_size=64"
	if path == InMemory {
		return "file::memory:" + parameters
	}
	// Without a working folder a relative path names no file, and opening it says so.
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() + parameters
}

// connector opens connections with the pragmas that a data source name cannot hold.
type connector struct {
	*sqlite3.SQLiteDriver
	dsn string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.SQLiteDriver }

// OpenPool returns a pool of at most max connections. None is opened yet.
func OpenPool(path string, m Mode, max int) *sql.DB {
	db := sql.OpenDB(connector{&sqlite3.SQLiteDriver{ConnectHook: prepare}, dsn(path, m)})
	db.SetMaxOpenConns(max)
	db.SetMaxIdleConns(max)
	return db
}

// OpenUnchanging returns one connection that reads a file which nobody writes, with its write-ahead log where it has one.
func OpenUnchanging(path string) *sql.DB {
	if HasWAL(path) {
		return OpenPool(path, ModeReadOnly, 1)
	}
	return OpenPool(path, ModeImmutable, 1)
}

// prepare sets what holds for every connection. A schema of another program may not run functions of
// ours, and a damaged cell is reported where it is read. On macOS an fsync alone leaves the bytes
// in the drive's cache.
func prepare(c *sqlite3.SQLiteConn) error {
	pragmas := "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"
	if runtime.GOOS == "darwin" {
		pragmas += "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;"
	}
	_, err := c.Exec(pragmas, nil)
	return err
}

// TruncateWAL moves what is in the write-ahead log into the file and truncates the log. It returns an
// error that is busy while another transaction reads from the log.
func TruncateWAL(ctx context.Context, db *sql.DB) error {
	var blocked, pages, moved int
	err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&blocked, &pages, &moved)
	if err == nil && blocked != 0 {
		err = sqlite3.Error{Code: sqlite3.ErrBusy}
	}
	return err
}
