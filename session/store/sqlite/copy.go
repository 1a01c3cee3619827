package sqlite

import (
	"context"
	"database/sql"
)

// Copy writes a consistent copy of a whole database to an empty file, while others may go on using it. Every row is
// read and every index is made anew, so that the copy is sound and has no byte of what was deleted; where a row cannot
// be read the error is one of damage. The connections of source are for reading only.
func Copy(ctx context.Context, source *sql.DB, path string) error {
	from, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	// A connection that only reads writes to no file at all, not even to the copy.
	defer from.ExecContext(context.WithoutCancel(ctx), "PRAGMA query_only = ON")
	if _, err := from.ExecContext(ctx, "PRAGMA query_only = OFF"); err != nil {
		return err
	}
	_, err = from.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}
