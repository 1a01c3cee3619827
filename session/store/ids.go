package store

import "time"

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
func (s *Store) newIDs(t *tx, n int) (first int64) {
	first = value[int64](t, `
		UPDATE home
		SET clock = max(clock, ?1 - 1) + ?2
		RETURNING (clock - ?2 + 1) << ?3 | number`, s.now().UnixMilli(), n, numberBits)
	for i := range n {
		tellAgain(t, first+int64(i)*idStep)
	}
	return first
}

// newID gives one id.
func (s *Store) newID(t *tx) int64 { return s.newIDs(t, 1) }

// tellAgain has the other machines told of rows, where the history is shared: they are new, or changed after the
// machines were told of them.
func tellAgain(t *tx, ids ...int64) {
	for _, id := range ids {
		t.exec(`INSERT OR IGNORE INTO untold (id) SELECT ? FROM home WHERE folder <> ''`, id)
	}
}
