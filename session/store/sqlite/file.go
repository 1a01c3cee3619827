package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
)

// FileSize returns the size of a file in bytes, 0 if it cannot be read.
func FileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// HasWAL reports whether a database has a write-ahead log that is not empty.
func HasWAL(path string) bool { return FileSize(path+"-wal") > 0 }

// CheckIntegrity checks every table and index. The error is ErrDamaged if SQLite finds a fault. PRAGMA quick_check
// would take three quarters of the time but does not find damaged indexes.
func CheckIntegrity(ctx context.Context, db *sql.DB) error {
	t := WithoutTx(ctx, db)
	for _, table := range List[string](t, DamagedTablesQuery) {
		t.Fail(fmt.Errorf("%w in the table %s", ErrDamaged, table))
	}
	return t.Err
}

// DamagedTablesQuery selects the names of the tables in which SQLite finds a fault. It skips the full-text table, which
// keeps no text to compare its index with.
const DamagedTablesQuery = `
	SELECT DISTINCT t.name
	FROM pragma_table_list t
	JOIN pragma_integrity_check(t.name) fault
	WHERE t.schema = 'main'
		AND t.type IN ('table', 'shadow')
		AND fault.integrity_check <> 'ok'`

// CreateFile creates an empty file that only the user may read, and its folder.
func CreateFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
