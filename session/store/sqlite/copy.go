package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"github.com/mattn/go-sqlite3"
)

// copyPages is how many pages are copied in one step.
const copyPages = 1000

// Copy makes a consistent copy of a whole database with SQLite's backup interface, while
// others may go on using it. The file at path is overwritten.
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
	// All steps read within one transaction. Otherwise each write of another connection would make the
	// backup start again, and beside a streaming answer it would never end.
	_, err = from.ExecContext(ctx, "BEGIN; SELECT count(*) FROM sqlite_schema")
	if err == nil {
		err = from.Raw(func(c any) error {
			b, err := to.(*sqlite3.SQLiteConn).Backup("main", c.(*sqlite3.SQLiteConn), "main")
			if err != nil {
				return err
			}
			for done := false; !done && err == nil; {
				done, err = b.Step(copyPages)
				err = errors.Join(err, ctx.Err())
			}
			return errors.Join(err, b.Finish())
		})
		_, ended := from.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		err = errors.Join(err, ended)
	}
	return errors.Join(err, to.Close())
}
