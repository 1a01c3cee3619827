package store

import (
	"context"
	"database/sql"
	"fmt"
)

// The index is made of segments on levels. Each commit adds a small one, and when sixteen stand on one
// level SQLite merges them all within that commit: with a large history behind it, one message in
// many thousands would wait for seconds. So the merging is done beforehand, in short steps.
//
// A word that was deleted stands in its old segment until that is merged. After a purge all segments
// are therefore merged into one.

const (
	tidyBlocks   = 300 // of the index, merged in one step
	tidySegments = 8   // on one level are worth merging
)

// TidySome takes one step at keeping the search index in order: it keeps later commits short, and after
// a purge it overwrites what is left of the purged text. It reports whether there is more to do. A step
// takes about a twentieth of a second; only the last one after a purge rewrites the whole file.
func (s *Store) TidySome(ctx context.Context) (more bool, err error) {
	// Looked at first, so that nobody waits for a write where nothing is to be done.
	mess, err := s.mess(ctx)
	switch {
	case err != nil || mess.clean():
		return false, err
	case !mess.merges():
		return false, s.overwritePurged(ctx)
	}
	err = s.jot(ctx, "tidy the search index", func(tx *sql.Tx) error {
		mess, err := look(ctx, tx)
		if err != nil {
			return err
		}
		if err := mess.tidy(ctx, tx); err != nil {
			return err
		}
		mess, err = look(ctx, tx)
		more = !mess.clean()
		return err
	})
	return more && err == nil, err
}

func (s *Store) mess(ctx context.Context) (m mess, err error) {
	err = s.view(ctx, "look at the search index", func(tx *sql.Tx) error {
		m, err = look(ctx, tx)
		return err
	})
	return m, err
}

// mess is what is to be tidied up.
type mess struct {
	purged   bool // text of purged sessions may still be in the file
	gathered bool // the segments that may hold their words are on one level
	crowded  bool // a level has enough segments to be merged
}

func (m mess) clean() bool { return !m.purged && !m.crowded }

// merges reports whether the index has segments to gather or merge.
func (m mess) merges() bool { return m.crowded || m.purged && !m.gathered }

// least is how many segments on one level are merged.
func (m mess) least() int {
	if m.purged {
		return 2
	}
	return tidySegments
}

func look(ctx context.Context, tx *sql.Tx) (mess, error) {
	var m mess
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

// tidy takes the next step of merging; merges has said that there is one.
func (m mess) tidy(ctx context.Context, tx *sql.Tx) error {
	if m.purged && !m.gathered {
		return gather(ctx, tx)
	}
	// The command takes no parameters; both numbers are ours.
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`INSERT INTO found (found) VALUES ('merge=%d,%d')`, tidyBlocks, m.least()))
	return err
}

// notePurged says that words were deleted that are to be overwritten.
func notePurged(ctx context.Context, tx *sql.Tx) error {
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
