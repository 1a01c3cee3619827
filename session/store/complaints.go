package store

import (
	"context"
	"database/sql"
	"slices"

	"winnow/session/store/sqlite"
)

// unsaid is what SQLite says of the search index however sound it is: it compares the index with a copy
// of the words, and winnow keeps none.
const unsaid = "malformed inverted index for FTS4 table main.found"

// complaints runs integrity_check or quick_check and returns what it found wrong, nothing for a sound
// file.
func complaints(ctx context.Context, tx *sql.Tx, check string) ([]string, error) {
	out, err := sqlite.Collect(ctx, tx, sqlite.Only[string], "PRAGMA "+check)
	return slices.DeleteFunc(out, func(line string) bool { return line == "ok" || line == unsaid }), err
}
