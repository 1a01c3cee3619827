// Package sqlite opens SQLite files with the settings that winnow needs, runs transactions, and holds the
// schema. It knows no row of a conversation.
package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// Memory is the path of a store that leaves nothing on disk.
const Memory = ":memory:"

// Mode is what a connection is for.
type Mode int

// The modes.
const (
	Durable   Mode = iota // writes what must survive a power cut
	Quick                 // writes what may lose the last moment to a power cut, never to a crash of winnow
	Reading               // reads beside the writers
	ReadOnly              // reads a file that may not be written
	Exclusive             // reads a file with its write-ahead log on a full disk, and keeps all others out
	Immutable             // reads a file that nobody writes, in a folder that may not be written
	Plain                 // writes a copy that nobody else has open
	Scratch               // writes a file that is thrown away unless it comes to its end, and is synced then
	Lock                  // takes a file for itself as long as its transaction lasts; the file must exist
	Peek                  // finds out whether somebody has taken a file by Lock; many may at once
)

// dsn names the file for the driver, with every pragma that the connection needs. The path is made absolute, because
// one in a URI begins at the root, and escaped, so that a question mark in a folder's name does not start the
// parameters.
func dsn(path string, m Mode) string {
	q := url.Values{}
	q.Set("_busy_timeout", "250") // milliseconds: short, because the store tries again and heeds its context
	q.Set("_foreign_keys", "on")
	q.Set("_stmt_cache_size", "64")
	switch m {
	case Durable:
		q.Set("mode", "rw") // never makes a file: one that is gone must be missed
		q.Set("_txlock", "immediate")
		q.Set("_journal_mode", "WAL")
		q.Set("_synchronous", "FULL")
		q.Set("_secure_delete", "on") // what was purged or replaced is overwritten
	case Quick:
		q.Set("mode", "rw")
		q.Set("_txlock", "immediate")
		q.Set("_journal_mode", "WAL")
		q.Set("_synchronous", "NORMAL")
		q.Set("_secure_delete", "on")
	case Reading:
		q.Set("mode", "rw")
		q.Set("_query_only", "on")
	case ReadOnly:
		q.Set("mode", "ro")
		q.Set("_query_only", "on")
	case Exclusive:
		q.Set("mode", "rw")
		q.Set("_query_only", "on")
		q.Set("_locking_mode", "EXCLUSIVE") // the index of the log is then in memory, not in a file
	case Immutable:
		q.Set("mode", "ro")
		q.Set("immutable", "1")
		q.Set("_query_only", "on")
	case Plain:
		q.Set("_synchronous", "FULL")
	case Scratch:
		q.Set("_synchronous", "OFF")
		q.Set("_journal_mode", "MEMORY")
		q.Set("_secure_delete", "on")
	case Lock:
		q.Set("mode", "rw")
		q.Set("_txlock", "exclusive")
		q.Set("_busy_timeout", "0")
	case Peek:
		q.Set("mode", "rw")
		q.Set("_txlock", "deferred")
		q.Set("_busy_timeout", "0")
	}
	if path == Memory {
		q.Del("_journal_mode")
		q.Del("mode")
		return "file::memory:?" + q.Encode()
	}
	// Without a working folder a relative path names no file, and opening it says so.
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// connector opens connections with the pragmas that a data source name cannot hold.
type connector struct {
	driver *sqlite3.SQLiteDriver
	dsn    string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.driver }

// Pool returns a pool of at most max connections. None is opened yet.
func Pool(path string, m Mode, max int) *sql.DB {
	db := sql.OpenDB(connector{
		driver: &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error { return prepare(c) }},
		dsn:    dsn(path, m),
	})
	db.SetMaxOpenConns(max)
	db.SetMaxIdleConns(max)
	return db
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
