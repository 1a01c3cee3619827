package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
)

// OpenForeign opens the database of another program for reading. That program may have it open. columns contains
// "table.column" for each column of the database.
func OpenForeign(ctx context.Context, path string) (db *sql.DB, columns map[string]bool, err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, nil, err
	}
	db = OpenUnchanging(path)
	t := WithoutTx(ctx, db)
	names := List[string](t, `
		SELECT t.name || '.' || c.name
		FROM sqlite_schema t
		JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table'
			AND t.sql NOT LIKE 'CREATE VIRTUAL%'`)
	if t.Err != nil {
		db.Close()
		return nil, nil, fmt.Errorf("read the database %s: %w", path, t.Err)
	}
	columns = map[string]bool{}
	for _, name := range names {
		columns[name] = true
	}
	return db, columns, nil
}
