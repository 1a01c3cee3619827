package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
)

// OpenForeign opens the database of another program for reading, which that program may have open too. columns holds
// "table.column" for each column of its tables.
func OpenForeign(ctx context.Context, path string) (db *sql.DB, columns map[string]bool, err error) {
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, nil, err
	}
	for _, mode := range []Mode{ReadOnly, Immutable} {
		db = Pool(path, mode, 1)
		columns = map[string]bool{}
		err = Each(ctx, db, func(scan func(...any) error) error {
			name, err := Only[string](scan)
			columns[name] = true
			return err
		}, `
			SELECT t.name || '.' || c.name
			FROM sqlite_schema t
			JOIN pragma_table_info(t.name) c
			WHERE t.type = 'table'
				AND t.sql NOT LIKE 'CREATE VIRTUAL%'`)
		if err == nil {
			return db, columns, nil
		}
		db.Close()
		if log, statErr := os.Stat(path + "-wal"); statErr == nil && log.Size() > 0 {
			break // an immutable database is read without its log
		}
	}
	return nil, nil, fmt.Errorf("read the database %s: %w", path, err)
}
