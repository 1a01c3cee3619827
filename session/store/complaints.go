package store

import (
	"context"
	"database/sql"
)

// unsaid is what SQLite says of the search index however sound it is: it compares the index with a copy
// of the words, and winnow keeps none.
const unsaid = "malformed inverted index for FTS4 table main.found"

// complaints runs integrity_check or quick_check and returns what it found wrong, nothing for a sound
// file.
func complaints(ctx context.Context, tx *sql.Tx, check string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, "PRAGMA "+check)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		if line != "ok" && line != unsaid {
			out = append(out, line)
		}
	}
	return out, rows.Err()
}
