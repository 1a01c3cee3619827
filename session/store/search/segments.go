package search

import (
	"context"
	"database/sql"
	"fmt"
)

// The index is made of segments on levels. Each commit adds a small one, and when sixteen stand on one
// level SQLite merges them all within that commit: with a large history behind it, one message in
// many thousands would wait for seconds. So the merging is done beforehand, in short steps.
//
// A word that was deleted is in its old segment until that is merged. After a purge all segments
// are therefore merged into one.

const (
	mergeBlocks = 300 // of the index, merged in one step
	MergeAt     = 8   // segments on one level are worth merging
)

// Segments is what is to be done about the segments of the index.
type Segments struct {
	purged   bool // text of purged sessions may still be in the file
	gathered bool // the segments that may hold their words are on one level
	crowded  bool // a level has enough segments to be merged
}

// Clean reports whether nothing is to be done.
func (m Segments) Clean() bool { return !m.purged && !m.crowded }

// Unmerged reports whether the index has segments to gather or merge.
func (m Segments) Unmerged() bool { return m.crowded || m.purged && !m.gathered }

// least is how many segments on one level are merged.
func (m Segments) least() int {
	if m.purged {
		return 2
	}
	return MergeAt
}

// ReadSegments reads the state of the segments.
func ReadSegments(ctx context.Context, tx *sql.Tx) (Segments, error) {
	var m Segments
	err := tx.QueryRowContext(ctx, `
		SELECT
			EXISTS (SELECT 1 FROM purged),
			EXISTS (SELECT 1 FROM purged WHERE gathered = 1)`).Scan(&m.purged, &m.gathered)
	if err != nil {
		return m, err
	}
	err = tx.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM found_segdir
			GROUP BY level
			HAVING count(*) >= ?
		)`, m.least()).Scan(&m.crowded)
	return m, err
}

// Merge takes the next step of merging, where Unmerged reports that there is one.
func (m Segments) Merge(ctx context.Context, tx *sql.Tx) error {
	if m.purged && !m.gathered {
		return gather(ctx, tx)
	}
	// The command takes no parameters; both numbers are constants.
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO found (found) VALUES ('merge=%d,%d')`, mergeBlocks, m.least()))
	return err
}

// NotePurged records that words were deleted that are to be overwritten.
func NotePurged(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO purged (id, gathered)
		VALUES (1, 0)
		ON CONFLICT DO UPDATE
		SET gathered = 0`)
	return err
}

// gather puts all segments on one level of their own, in the order of their age. The merging of a level
// leaves one segment of it, and as none is older, nothing in that of what was deleted.
func gather(ctx context.Context, tx *sql.Tx) error {
	for _, query := range []string{
		// Where an unfinished merge stood means nothing on the new level.
		`DELETE FROM found_stat WHERE id = 1`,
		`
		UPDATE found_segdir
		SET level = (SELECT max(level) + 1 FROM found_segdir),
			idx = aged.place
		FROM (
			SELECT
				rowid AS segment,
				row_number() OVER (ORDER BY level DESC, idx) - 1 AS place
			FROM found_segdir
		) AS aged
		WHERE aged.segment = found_segdir.rowid`,
		`UPDATE purged SET gathered = 1`,
	} {
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}
