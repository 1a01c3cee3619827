package search

import (
	"context"
	"database/sql"
	"errors"

	"winnow/session/store/sqlite"
)

// The backlog holds the messages that are not in the index yet, as runs of ids. It is worked off from
// its newest end in steps that are short enough for a window to save a message between two of them.

// How much one step takes: the first that is reached ends it.
const (
	stepMessages = 2_000
	stepBytes    = 250_000
)

// Waiting returns how many messages the index lacks at most: those that were purged since are counted as well.
func Waiting(ctx context.Context, tx *sql.Tx) (int64, error) {
	var left int64
	err := tx.QueryRowContext(ctx, `
		SELECT coalesce(sum(last - first + 1), 0)
		FROM unfound`).Scan(&left)
	return left, err
}

// nextStep returns the newest messages of a run that are worth one step, the oldest first: the index
// wants rising ids. A message counts with the length of its content; few have more to them.
func nextStep(ctx context.Context, tx *sql.Tx, first, last int64) ([]int64, error) {
	return sqlite.Collect(ctx, tx, sqlite.Only[int64], `
		WITH newest AS (
			SELECT
				id,
				sum(size) OVER (ORDER BY id DESC) - size AS before
			FROM (
				SELECT
					id,
					length(content) AS size
				FROM messages
				WHERE id BETWEEN ? AND ?
				ORDER BY id DESC
				LIMIT ?
			)
		)
		SELECT id
		FROM newest
		WHERE before < ?
		ORDER BY id`, first, last, stepMessages, stepBytes)
}

// Later puts the messages from first to last on the backlog.
func Later(ctx context.Context, tx *sql.Tx, first, last int64) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO unfound (first, last)
		VALUES (?, ?)`, first, last)
	return err
}

// IndexNewest takes one step at the newest run of the backlog. add puts messages into the index.
func IndexNewest(ctx context.Context, tx *sql.Tx, add func(ids []int64) error) error {
	var first, last int64
	err := tx.QueryRowContext(ctx, `
		SELECT
			first,
			last
		FROM unfound
		ORDER BY last DESC
		LIMIT 1`).Scan(&first, &last)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	ids, err := nextStep(ctx, tx, first, last)
	if err != nil {
		return err
	}
	if err := add(ids); err != nil {
		return err
	}
	if len(ids) == 0 || ids[0] == first {
		_, err = tx.ExecContext(ctx, `DELETE FROM unfound WHERE first = ?`, first)
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE unfound
		SET last = ?
		WHERE first = ?`, ids[0]-1, first)
	return err
}
