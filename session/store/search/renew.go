package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/mattn/go-sqlite3"
)

// Damaged reports whether an error is that of a search index that cannot be read. The file can be sound
// otherwise: the messages do not depend on the index.
func Damaged(err error) bool {
	var e sqlite3.Error
	return errors.Is(err, errMalformed) || errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrCorruptVTab
}

// Renew throws the search index away and hands all messages to the backlog, so that a damaged index
// keeps nobody from saving a message.
func Renew(ctx context.Context, tx *sql.Tx) error {
	var made string
	err := tx.QueryRowContext(ctx, `
		SELECT sql
		FROM sqlite_schema
		WHERE name = 'found'`).Scan(&made)
	if err != nil {
		return fmt.Errorf("read how the search index was made: %w", err)
	}
	for _, query := range []string{
		`DROP TABLE found`, made,
		`UPDATE purged SET gathered = 1`, // nothing of the old index is left to gather
		`DELETE FROM unfound`,
		`INSERT INTO unfound (first, last) SELECT min(id), max(id) FROM messages HAVING count(*) > 0`,
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("make the search index anew: %w", err)
		}
	}
	return nil
}
