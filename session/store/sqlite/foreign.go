package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
)

// OpenForeign opens the database of another program for reading, which that program may have open too. columns holds
// "table.column" for each column of its tables.
func OpenForeign(ctx context.Context, path string) (db *sql.DB, columns map[string]bool, err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, nil, err
	}
	modes := []Mode{ReadOnly, Immutable}
	if HasJournal(path) {
		modes = modes[:1] // an immutable database is read without its log
	}
	for _, mode := range modes {
		db = Pool(path, mode, 1)
		columns = map[string]bool{}
		var names []string
		names, err = Collect(ctx, db, Only[string], `
			SELECT t.name || '.' || c.name
			FROM sqlite_schema t
			JOIN pragma_table_info(t.name) c
			WHERE t.type = 'table'
				AND t.sql NOT LIKE 'CREATE VIRTUAL%'`)
		for _, name := range names {
			columns[name] = true
		}
		if err == nil {
			return db, columns, nil
		}
		db.Close()
	}
	return nil, nil, fmt.Errorf("read the database %s: %w", path, err)
}
