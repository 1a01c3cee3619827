package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
)

// SchemaSQL is the SQL of the whole schema.
//
//go:embed schema.sql
var SchemaSQL string

// Values in the header of a history file.
const (
	applicationID = 0x77696e6e // "winn"
	schemaVersion = 1
)

// maxVersion is greater than any schema version of winnow. A greater version in the header is damaged.
const maxVersion = 1000

// HasSchema reports whether a database has winnow's schema, and returns false for an empty file. For other databases
// the error is ErrNotHistory, ErrOtherBuild or ErrDamaged.
func HasSchema(ctx context.Context, db *sql.DB) (there bool, err error) {
	t := WithoutTx(ctx, db)
	there = hasSchema(t, applicationID)
	return there, t.Err
}

// hasSchema reports whether a database has the schema of the files with an application id.
func hasSchema(t *Tx, id int) bool {
	var app, version, things int
	t.Row([]any{&app, &version, &things}, `
		SELECT
			(SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sqlite_schema)`)
	switch {
	case app == 0 && version == 0 && things == 0:
		return false
	case app != id:
		t.Fail(ErrNotHistory)
	case 0 < version && version < maxVersion && version != schemaVersion:
		t.Fail(ErrOtherBuild)
	case version != schemaVersion:
		t.Fail(fmt.Errorf("%w: its header has schema %d", ErrDamaged, version))
	}
	return t.Err == nil
}

// CreateSchema creates the schema of a history in an empty database.
func CreateSchema(t *Tx) { CreateTables(t, applicationID, SchemaSQL) }

// CreateTables creates tables in an empty database, and writes the application id by which files with these tables are
// recognised. If they exist, only the version is written again, which costs nothing and reveals whether the file can be
// written.
func CreateTables(t *Tx, id int, tables string) {
	if !hasSchema(t, id) {
		t.Exec(tables)
	}
	// PRAGMA takes no parameters.
	t.Exec(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", id, schemaVersion))
}
