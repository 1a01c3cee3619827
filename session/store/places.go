package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"winnow/history"
	"winnow/session/store/search"
)

// Place is where a message stands in its session, and what became of it last.
type Place struct {
	Number int            // on its branch, from 1
	Of     int            // how many messages the active branch has; 0 for a message on another branch
	Last   *history.Entry // what the newest request for an answer that did not fail decided about it; nil for none
}

// Places looks up where messages stand. Nothing is planned for it. Messages that are gone are not in the map.
func (s *Store) Places(ctx context.Context, messages ...int64) (map[int64]Place, error) {
	return inTx(ctx, s.view, "find the messages", func(tx *sql.Tx) (map[int64]Place, error) {
		p := placer{tx: tx, places: make(map[int64]Place, len(messages)), branches: map[int64][]int64{}}
		for _, id := range messages {
			if err := p.find(ctx, id); err != nil {
				return nil, err
			}
		}
		return p.places, nil
	})
}

// placer looks up messages within a transaction.
type placer struct {
	tx       *sql.Tx
	places   map[int64]Place
	branches map[int64][]int64 // the active branches by the short keys of their sessions; nil for a session of one branch
}

// find looks up a message.
func (p *placer) find(ctx context.Context, id int64) error {
	var session, leaf int64
	var at Place
	err := p.tx.QueryRowContext(ctx, `
		SELECT
			m.session,
			m.seq,
			s.leaf,
			s.messages
		FROM messages m
		JOIN sessions s ON s.n = m.session
		WHERE m.id = ?`, id).Scan(&session, &at.Number, &leaf, &at.Of)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	branch, known := p.branches[session]
	if !known {
		if branch, err = p.branch(ctx, session, leaf); err != nil {
			return err
		}
		p.branches[session] = branch
	}
	if branch != nil {
		i, active := slices.BinarySearch(branch, id)
		at.Number, at.Of = i+1, len(branch)
		if !active {
			up, err := branchIDs(ctx, p.tx, session, id)
			if err != nil {
				return err
			}
			at.Number, at.Of = len(up), 0
		}
	}
	at.Last, err = lastVerdict(ctx, p.tx, session, id)
	p.places[id] = at
	return err
}

// lastVerdict is what the newest request for an answer that did not fail decided about a message; nil where there is
// none, or where it cannot be read.
func lastVerdict(ctx context.Context, tx *sql.Tx, session, message int64) (*history.Entry, error) {
	newest, err := pastVerdicts(ctx, tx, session, message, "AND v.purpose = ''", 1)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	return &newest[0].Entry, nil
}

// branch is the active branch of a session, nil where the session has no other.
func (p *placer) branch(ctx context.Context, session, leaf int64) ([]int64, error) {
	var forked bool
	err := p.tx.QueryRowContext(ctx, `
		SELECT EXISTS (
			SELECT 1
			FROM messages
			WHERE session = ?
			GROUP BY parent
			HAVING count(*) > 1
		)`, session).Scan(&forked)
	switch {
	case err != nil || !forked:
		return nil, err
	case leaf == 0:
		return []int64{}, nil
	}
	return branchIDs(ctx, p.tx, session, leaf)
}

// Marks are the places in a text that a search finds: byte ranges in order that do not touch.
func (in Search) Marks(text string) [][2]int { return search.Parse(in.Text).Marks(text) }

// Reply is the message that follows another one on its newest branch, 0 for none.
func (s *Store) Reply(ctx context.Context, message int64) (int64, error) {
	var id int64
	err := s.view(ctx, "find the reply", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT coalesce(max(x.id), 0)
			FROM messages m
			JOIN messages x ON x.session = m.session AND x.parent = m.id
			WHERE m.id = ?`, message).Scan(&id)
	})
	return id, err
}

// Searched is all of a message that a search looks in: its text, its tool calls and its files.
func (m Message) Searched() string { return search.Text(m.Message) }

// CountSearched is how many sessions a search looks in.
func (s *Store) CountSearched(ctx context.Context, trash bool) (int, error) {
	var n int
	err := s.view(ctx, "count the sessions", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			SELECT count(*)
			FROM sessions
			WHERE deleted_ms = 0
				OR ?`, trash).Scan(&n)
	})
	return n, err
}
