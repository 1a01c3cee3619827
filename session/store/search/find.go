package search

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
)

const (
	PageSize = 1000 // how many hits are ranked at once
	fewHits  = 300  // as many messages can be read faster than the index finds a common word among them
)

// Among says among which messages hits are looked for.
type Among struct {
	First, Last int64 // ids
	Session     int64 // the key of the only session, 0 for all
}

// Newest returns the newest page of hits, as far as the index knows, the best first.
func (q Query) Newest(ctx context.Context, tx *sql.Tx, in Among) ([]Candidate, error) {
	match, err := q.rarest(ctx, tx)
	if err != nil {
		return nil, err
	}
	among := ""
	args := []any{match, in.First, in.Last}
	if in.Session != 0 {
		// The plus keeps SQLite from asking the index for each message of the session by itself.
		among = "AND +docid IN (SELECT id FROM messages WHERE session = ?)"
		args = append(args, in.Session)
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT
			docid,
			matchinfo(found, 'yl')
		FROM found
		WHERE found MATCH ?
			AND docid BETWEEN ? AND ?
			`+among+`
		ORDER BY docid DESC
		LIMIT ?`, append(args, PageSize)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Candidate
	var info sql.RawBytes
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &info); err != nil {
			return nil, err
		}
		all = append(all, newCandidate(id, info, len(all)))
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.score, a.score) })
	return all, rows.Err()
}

// rarest is what the index is asked for. Where one word is in few messages, that is this word alone: the
// texts show whether the messages have the others, while the index would go through every message that has
// the most common of them.
func (q Query) rarest(ctx context.Context, tx *sql.Tx) (string, error) {
	if len(q) == 1 {
		return q.Match(), nil
	}
	for _, p := range q {
		if p.open || len(p.words) > 1 {
			continue // to count those can take as long as the search
		}
		alone := Query{p}.Match()
		var n int
		err := tx.QueryRowContext(ctx, `
			SELECT count(*)
			FROM (
				SELECT 1
				FROM found
				WHERE found MATCH ?
				ORDER BY docid DESC
				LIMIT ?
			)`, alone, fewHits+1).Scan(&n)
		if err != nil || n <= fewHits {
			return alone, err
		}
	}
	return q.Match(), nil
}
