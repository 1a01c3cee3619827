package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/mattn/go-sqlite3"
)

// Copy makes a consistent copy of a whole database with SQLite's backup interface, while others may go on using it. The
// file at path is overwritten.
func Copy(ctx context.Context, source *sql.DB, path string) error {
	from, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := (&sqlite3.SQLiteDriver{}).Open(dsn(path, Plain))
	if err != nil {
		return err
	}
	err = from.Raw(func(c any) error {
		b, err := to.(*sqlite3.SQLiteConn).Backup("main", c.(*sqlite3.SQLiteConn), "main")
		if err != nil {
			return err
		}
		// All pages in one step: between two, each write of another connection would make it start again.
		done, err := b.Step(-1)
		if err == nil && !done {
			err = ErrBusy
		}
		return errors.Join(err, b.Finish())
	})
	return errors.Join(err, to.Close())
}
