package sqlite

import (
	"context"
	"database/sql"
)

// Copy writes a consistent copy of a whole database to an empty file, while others may go on using it, and has it on
// the disk. The copy has no byte of what was deleted. Where a row cannot be read the error is one of damage. The
// connections of source are for reading only.
func Copy(ctx context.Context, source *sql.DB, path string) error {
	from, err := source.Conn(ctx)
	if err != nil {
		return err
	}
	defer from.Close()
	// A connection that only reads writes to no file at all, not even to the copy.
	defer from.ExecContext(context.WithoutCancel(ctx), "PRAGMA query_only = ON")
	_, err = from.ExecContext(ctx, "PRAGMA query_only = OFF; VACUUM INTO ?", path)
	return err
}
