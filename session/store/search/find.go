package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"winnow/session/store/sqlite"
)

const (
	PageSize = 1000 // how many hits are ranked at once
	fewHits  = 300  // as many messages can be read faster than the lists of common words
)

// Among says among which messages hits are looked for.
type Among struct {
	First, Last int64 // ids
	Session     int64 // the key of the only session, 0 for all
}

// Newest returns the newest page of hits, as far as the index knows, the best first.
func (q Query) Newest(ctx context.Context, tx *sql.Tx, in Among) ([]Candidate, error) {
	all, err := q.newest(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.score, a.score) })
	return all, nil
}

// newest is Newest, the newest first. Where one word is in few messages, SQLite is asked for that word alone: the texts
// show whether the messages have the others.
func (q Query) newest(ctx context.Context, tx *sql.Tx, in Among) ([]Candidate, error) {
	if len(q) == 1 && len(q[0].words) == 1 {
		return q.lookUp(ctx, tx, in)
	}
	words, rare, err := q.postings(ctx, tx, fewHits)
	switch {
	case err != nil:
		return nil, err
	case rare != "":
		return Query{{words: []string{rare}}}.lookUp(ctx, tx, in)
	}
	return q.matches(ctx, tx, in, words)
}

// lookUp has SQLite find the newest page of hits, which is the fastest for a query of one word: it reads the places of no
// other message.
func (q Query) lookUp(ctx context.Context, tx *sql.Tx, in Among) ([]Candidate, error) {
	among := ""
	args := []any{q.Match(), in.First, in.Last}
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
		var numbers []float64 // how often it has each phrase, then how many words it has
		for ; len(info) >= 4; info = info[4:] {
			numbers = append(numbers, float64(binary.NativeEndian.Uint32(info)))
		}
		if last := len(numbers) - 1; last >= 0 {
			all = append(all, newCandidate(id, numbers[:last], int(numbers[last]), len(all)))
		}
	}
	return all, rows.Err()
}

// matches finds the newest page of hits in the postings of the words.
func (q Query) matches(ctx context.Context, tx *sql.Tx, in Among, words []*postings) ([]Candidate, error) {
	var members []int64
	if in.Session != 0 {
		var err error
		if members, err = membersOf(ctx, tx, in.Session); err != nil {
			return nil, err
		}
	}
	found, err := newMatcher(q, words, members).newest(ctx, in.First, in.Last, PageSize)
	if err != nil {
		return nil, err
	}
	lengths, err := lengthsOf(ctx, tx, found)
	if err != nil {
		return nil, err
	}
	var all []Candidate
	for i, f := range found {
		all = append(all, newCandidate(f.id, f.often, lengths[f.id], i))
	}
	return all, nil
}

// membersOf are the messages of a session, the newest first. They come in one text, which takes a third of the time that a
// row for each would take.
func membersOf(ctx context.Context, tx *sql.Tx, session int64) ([]int64, error) {
	var text string
	err := tx.QueryRowContext(ctx, `
		SELECT coalesce(group_concat(id), '')
		FROM (
			SELECT id
			FROM messages
			WHERE session = ?
		)`, session).Scan(&text)
	ids := []int64{}
	for text != "" && err == nil {
		var one string
		one, text, _ = strings.Cut(text, ",")
		var id int64
		id, err = strconv.ParseInt(one, 10, 64)
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(b, a) })
	return ids, err
}

// lengthsOf are how many words messages have, as the index counts them.
func lengthsOf(ctx context.Context, tx *sql.Tx, all []match) (map[int64]int, error) {
	ids := make([]int64, len(all))
	for i, m := range all {
		ids[i] = m.id
	}
	lengths := make(map[int64]int, len(all))
	err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
		var id int64
		var size string // a number for each column of the index, and it has one
		err := scan(&id, &size)
		n, _, _ := number(size, 0)
		lengths[id] = int(n)
		return err
	}, `
		SELECT
			docid,
			CAST(size AS TEXT)
		FROM found_docsize
		WHERE docid IN (SELECT value FROM json_each(?))`, sqlite.IDs(ids))
	return lengths, err
}
