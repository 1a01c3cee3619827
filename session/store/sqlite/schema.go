package sqlite

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
)

// Schema is the SQL of the whole schema.
//
//go:embed schema.sql
var Schema string

// What marks a file as winnow's, and its schema as that of schema.sql.
const (
	ApplicationID = 0x77696e6e // "winn"
	schemaVersion = 1
)

// mostVersions is more than any build of winnow has counted to: a larger version is a damaged one.
const mostVersions = 1000

// HasSchema reports whether a file has the schema, and false for an empty file. It returns ErrNotHistory,
// ErrOtherBuild or ErrDamaged for any other.
func HasSchema(ctx context.Context, q querier) (bool, error) {
	var app, version, things int
	err := q.QueryRowContext(ctx, `
		SELECT
			(SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &things)
	switch {
	case err != nil:
		return false, err
	case app == 0 && version == 0 && things == 0:
		return false, nil
	case app != ApplicationID:
		return false, ErrNotHistory
	case version == schemaVersion:
		return true, nil
	case 0 < version && version < mostVersions:
		return false, ErrOtherBuild
	}
	return false, fmt.Errorf("%w: its header says schema %d", ErrDamaged, version)
}

// Create makes the schema in an empty file. Where the file has it already only the version is written once more, which
// costs nothing on disk and finds out whether the file can be written at all.
func Create(ctx context.Context, tx *sql.Tx) error {
	there, err := HasSchema(ctx, tx)
	if err != nil {
		return err
	}
	if !there {
		if _, err := tx.ExecContext(ctx, Schema); err != nil {
			return fmt.Errorf("make the schema: %w", err)
		}
	}
	// PRAGMA takes no parameters.
	mark := fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", ApplicationID, schemaVersion)
	_, err = tx.ExecContext(ctx, mark)
	return err
}
