package store

import (
	"context"
	"database/sql"
	"errors"
)

// The backlog holds the messages that are not in the index yet, as runs of ids. It is worked off from
// its newest end in steps that are short enough for a window to save a message between two of them.

// How much one step takes: the first that is reached ends it.
const (
	stepMessages = 2_000
	stepBytes    = 250_000
)

// Unindexed returns how many messages the index lacks at most: those that were purged since are
// counted as well.
func (s *Store) Unindexed(ctx context.Context) (int64, error) {
	var left int64
	err := s.view(ctx, "look at the search index", func(tx *sql.Tx) error {
		var err error
		left, err = unindexed(ctx, tx)
		return err
	})
	return left, err
}

func unindexed(ctx context.Context, tx *sql.Tx) (int64, error) {
	var left int64
	err := tx.QueryRowContext(ctx, `
		SELECT coalesce(sum(last - first + 1), 0)
		FROM unfound`).Scan(&left)
	return left, err
}

// IndexSome puts the newest messages of the backlog into the index and returns how many are left, as
// Unindexed counts them. One call takes about a twentieth of a second, and longer only for a single
// very long message; a call may tidy the index instead, and then as many are left as before. Several
// windows may do it at once.
func (s *Store) IndexSome(ctx context.Context) (left int64, err error) {
	// Looked at first, so that nobody waits for a write where nothing is left to do.
	if left, err = s.Unindexed(ctx); left == 0 || err != nil {
		return left, err
	}
	err = s.jot(ctx, "bring the search index up to date", func(tx *sql.Tx) error {
		mess, err := look(ctx, tx)
		if err != nil {
			return err
		}
		// Each step leaves something to merge, and a step that has to do it all would be long.
		step := indexNewest
		if mess.merges() {
			step = mess.tidy
		}
		if err := step(ctx, tx); err != nil {
			return err
		}
		left, err = unindexed(ctx, tx)
		return err
	})
	return left, err
}

// indexNewest takes one step at the newest run of the backlog.
func indexNewest(ctx context.Context, tx *sql.Tx) error {
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
	ids, err := aStep(ctx, tx, first, last)
	if err != nil {
		return err
	}
	if err := indexStored(ctx, tx, ids); err != nil {
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

// aStep returns the newest messages of a run that are worth one step, the oldest first: the index
// wants rising ids. A message counts with the length of its content; few have more to them.
func aStep(ctx context.Context, tx *sql.Tx, first, last int64) ([]int64, error) {
	return idsWhere(ctx, tx, `
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
