package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The schema, a file for each step. A released step is never edited: a change is a new file.
//
//go:embed schema/*.sql
var schemaFiles embed.FS

// ApplicationID marks a file as winnow's: "winn".
const ApplicationID = 0x77696e6e

// Step takes the schema from number-1 to number.
type Step struct {
	Number int
	Name   string
	SQL    string
	Then   func(ctx context.Context, tx *sql.Tx) error // does what SQL cannot, after it; nil for most
}

// Steps returns the embedded steps in order. They are numbered from 1 without a gap.
func Steps() ([]Step, error) {
	entries, err := schemaFiles.ReadDir("schema")
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var all []Step
	for i, e := range entries {
		text, err := schemaFiles.ReadFile(path.Join("schema", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		digits, _, _ := strings.Cut(e.Name(), "_")
		number, err := strconv.Atoi(digits)
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("read the schema: found %s instead of step %d", e.Name(), i+1)
		}
		all = append(all, Step{Number: number, Name: e.Name(), SQL: string(text)})
	}
	return all, nil
}

// NewerError says that the file was written by a later winnow.
type NewerError struct{ Have, Know int }

func (e *NewerError) Error() string {
	return fmt.Sprintf("the chat history was written by a newer winnow (schema %d, this one supports %d)", e.Have, e.Know)
}

// ErrForeign says that a file is an SQLite database of another program.
var ErrForeign = errors.New("an SQLite database of another program")

// rowQuerier is what *sql.DB, *sql.Conn and *sql.Tx have in common for reading.
type rowQuerier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// SchemaVersion returns the number of the last step that was applied to a file, 0 for an empty
// one, and an error for a database of another program.
func SchemaVersion(ctx context.Context, q rowQuerier) (int, error) {
	var app, version, things int
	err := q.QueryRowContext(ctx, `
		SELECT
			(SELECT application_id FROM pragma_application_id),
			(SELECT user_version FROM pragma_user_version),
			(SELECT count(*) FROM sqlite_schema)`).Scan(&app, &version, &things)
	if err != nil {
		return 0, err
	}
	if app == ApplicationID {
		return version, nil
	}
	if app == 0 && version == 0 && things == 0 {
		return 0, nil
	}
	return 0, ErrForeign
}

// StepUp applies the next step, to a new file all of them, and returns the version then reached. Writing the version when there
// is nothing to do costs nothing on disk, but finds out whether the file can be written at all.
func StepUp(ctx context.Context, tx *sql.Tx, all []Step) (int, error) {
	version, err := SchemaVersion(ctx, tx)
	if err != nil {
		return 0, err
	}
	if version > len(all) {
		return 0, &NewerError{Have: version, Know: len(all)}
	}
	fresh := version == 0
	for version < len(all) {
		next := all[version]
		if _, err := tx.ExecContext(ctx, next.SQL); err != nil {
			return 0, fmt.Errorf("apply schema step %s: %w", next.Name, err)
		}
		if next.Then != nil {
			if err := next.Then(ctx, tx); err != nil {
				return 0, fmt.Errorf("apply schema step %s: %w", next.Name, err)
			}
		}
		if version = next.Number; !fresh {
			break
		}
	}
	// PRAGMA takes no parameters; both values are numbers of ours.
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", ApplicationID, version))
	return version, err
}
