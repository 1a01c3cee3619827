package store

import (
	"context"
	"database/sql"
	"time"
)

// The ids of messages, requests, summaries, registers and tombstones are global: they are given once, whichever machine
// gives them, so that histories can be merged row by row. An id is a time in milliseconds and the number of the machine
// in the lowest bits, 53 bits in all, so that it fits a rowid and a number in JSON.
//
// The ids of what is imported from another program are made of the file alone: see importing.messageID.
//
// The time is a hybrid clock: it follows the wall clock and never falls behind an id that the file has. So a message is
// always greater than the one it follows, and what is set later has the greater stamp, whatever the wall clock does.
const (
	numberBits = 12
	idStep     = 1 << numberBits // between two ids that one machine gives one after the other
)

// mostAhead is how far beyond the time the clock of another machine may be.
const mostAhead = 24 * time.Hour

// newIDs gives n ids and returns the first: each of the others is idStep greater than the one before. Where the history
// is shared, the other machines are to be told of the rows that get them.
func (s *Store) newIDs(ctx context.Context, tx *sql.Tx, n int) (first int64, err error) {
	var clock, number int64
	var shared bool
	err = tx.QueryRowContext(ctx, `
		UPDATE home
		SET clock = max(clock, ? - 1) + ?
		RETURNING clock, number, folder <> ''`, s.now().UnixMilli(), n).Scan(&clock, &number, &shared)
	if err != nil {
		return 0, err
	}
	first = (clock-int64(n)+1)<<numberBits | number
	for id := first; shared && id < first+int64(n)*idStep; id += idStep {
		if err := execute(ctx, tx, `INSERT INTO untold (id) VALUES (?)`, id); err != nil {
			return 0, err
		}
	}
	return first, nil
}

// newID gives one id.
func (s *Store) newID(ctx context.Context, tx *sql.Tx) (int64, error) { return s.newIDs(ctx, tx, 1) }

// noteClock sets the clock of the file to that of an id of another machine, where that is ahead.
func noteClock(ctx context.Context, tx *sql.Tx, id int64) error {
	return execute(ctx, tx, `UPDATE home SET clock = ?1 WHERE clock < ?1`, id>>numberBits)
}

// tellAgain has the other machines told once more of a row that changed after they were.
func tellAgain(ctx context.Context, tx *sql.Tx, ids ...int64) error {
	for _, id := range ids {
		err := execute(ctx, tx, `
			INSERT OR IGNORE INTO untold (id)
			SELECT ?
			FROM home
			WHERE folder <> ''`, id)
		if err != nil {
			return err
		}
	}
	return nil
}
