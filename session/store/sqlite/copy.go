package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/mattn/go-sqlite3"
)

// copyTime is how long a copy may take: it keeps the write-ahead log from shrinking meanwhile.
const copyTime = 10 * time.Minute

// Copy makes a consistent copy of a whole database with SQLite's backup interface, while
// others may go on using it. The file at path is overwritten.
func Copy(ctx context.Context, source *sql.DB, path string) error {
	ctx, cancel := context.WithTimeout(ctx, copyTime)
	defer cancel()
	return CopyInSteps(ctx, source, path, ctx.Err)
}

// How much is copied in one step, and after how many steps what was written so far goes to the disk: a message that
// is saved meanwhile waits for that much, and not for the whole file.
const (
	stepPages = 1000
	syncSteps = 4
)

// CopyInSteps is Copy; an error of between, which is called after each step, ends it.
func CopyInSteps(ctx context.Context, source *sql.DB, path string, between func() error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // behind SQLite's: to close a file drops the locks that the same program has on it
	from, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := (&sqlite3.SQLiteDriver{}).Open(dsn(path, Plain))
	if err != nil {
		return err
	}
	// All steps read within one transaction. Otherwise each write of another connection would make the
	// backup start again, and beside a streaming answer it would never end.
	if _, err := from.ExecContext(ctx, "BEGIN DEFERRED"); err != nil {
		return errors.Join(err, to.Close())
	}
	var things int
	// The transaction begins to read.
	copied := from.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&things)
	if copied == nil {
		copied = from.Raw(func(c any) error {
			b, err := to.(*sqlite3.SQLiteConn).Backup("main", c.(*sqlite3.SQLiteConn), "main")
			if err != nil {
				return err
			}
			done := false
			for step := 1; !done && err == nil; step++ {
				done, err = b.Step(stepPages)
				if err == nil && step%syncSteps == 0 {
					err = f.Sync()
				}
				if err == nil {
					err = between()
				}
			}
			return errors.Join(err, b.Finish())
		})
	}
	_, err = from.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return errors.Join(copied, err, to.Close())
}
