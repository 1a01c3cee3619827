package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"winnow/session/store/sqlite"
)

// Branch returns the newest limit messages of the branch that ends at leaf, in order, with their
// calls and parts. With before, a message of that branch, it returns those older than it: the next
// page towards the beginning. before is 0 for the page at the leaf, limit 0 for all of them.
//
// The walk follows the parents, so it costs what it returns, however long the session is.
func (s *Store) Branch(ctx context.Context, session string, leaf, before int64, limit int) ([]Message, error) {
	var out []Message
	err := s.view(ctx, "read the messages", func(tx *sql.Tx) error {
		var err error
		out, err = branch(ctx, tx, session, leaf, before, limit)
		return err
	})
	return out, err
}

// branchUp is the beginning of a query about the branch that ends at message ?1 of session ?2: its newest
// ?3 messages, all of them for -1, from the end to the beginning. The limit ends the recursion.
const branchUp = `
		WITH RECURSIVE branch (id, parent) AS (
			SELECT
				id,
				parent
			FROM messages
			WHERE id = ?1
				AND session = ?2
			UNION ALL
			SELECT
				m.id,
				m.parent
			FROM branch
			JOIN messages m ON m.id = branch.parent AND m.session = ?2
			LIMIT ?3
		)`

func branch(ctx context.Context, tx *sql.Tx, session string, leaf, before int64, limit int) ([]Message, error) {
	n, err := sessionKey(ctx, tx, session)
	if err != nil {
		return nil, err
	}
	from := leaf
	if before != 0 {
		err := tx.QueryRowContext(ctx, `
			SELECT parent
			FROM messages
			WHERE id = ?
				AND session = ?`, before, n).Scan(&from)
		if err != nil {
			return nil, found(fmt.Sprintf("find message %d in its session", before), err)
		}
	}
	if from == 0 {
		return nil, nil
	}
	if err := inSession(ctx, tx, n, from); err != nil {
		return nil, err
	}
	if limit <= 0 {
		limit = -1
	}
	// CROSS JOIN keeps SQLite from reading the session's messages first.
	all, err := sqlite.Collect(ctx, tx, newScan().next, branchUp+`
		SELECT`+messageColumns+`
		FROM branch
		CROSS JOIN messages m ON m.id = branch.id`, from, n, limit)
	if err != nil {
		return nil, err
	}
	// A parent is older than its child, so the order of the ids is the order of the branch.
	slices.SortFunc(all, func(a, b row) int { return cmp.Compare(a.ID, b.ID) })
	return complete(ctx, tx, session, all)
}

// placesOf returns the places of these messages among their siblings, from 1.
func placesOf(ctx context.Context, tx *sql.Tx, messages []int64) (map[int64]int, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	rows, err := tx.QueryContext(ctx, `
		SELECT
			m.id,
			(SELECT count(*) FROM messages x WHERE x.session = m.session AND x.parent = m.parent AND x.id <= m.id)
		FROM messages m
		WHERE m.id IN (SELECT value FROM json_each(?))`, list(messages))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	places := map[int64]int{}
	for rows.Next() {
		var id int64
		var place int
		if err := rows.Scan(&id, &place); err != nil {
			return nil, err
		}
		places[id] = place
	}
	return places, rows.Err()
}

// SetLeaf makes a message the end of the session's active branch; 0 is an empty branch.
func (s *Store) SetLeaf(ctx context.Context, session string, leaf int64) error {
	return s.save(ctx, "switch the branch", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		if err := inSession(ctx, tx, n, leaf); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE sessions
			SET leaf = ?
			WHERE n = ?`, leaf, n)
		return err
	})
}

// Siblings returns the ids of the messages that share a message's parent, itself included, the
// oldest first.
func (s *Store) Siblings(ctx context.Context, id int64) ([]int64, error) {
	var out []int64
	err := s.view(ctx, "read the message's versions", func(tx *sql.Tx) error {
		var err error
		out, err = idsWhere(ctx, tx, `
			SELECT x.id
			FROM messages m
			JOIN messages x ON x.session = m.session AND x.parent = m.parent
			WHERE m.id = ?
			ORDER BY x.id`, id)
		if err != nil {
			return err
		}
		if len(out) == 0 {
			return &sqlite.Error{Doing: fmt.Sprintf("find message %d", id), Kind: ErrNotFound}
		}
		return nil
	})
	return out, err
}

// LeafUnder returns the message at the end of the branch that a message begins, taking the newest
// child at every fork: where a switch to that message leads.
func (s *Store) LeafUnder(ctx context.Context, id int64) (int64, error) {
	var leaf sql.NullInt64
	err := s.view(ctx, "find the end of the branch", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, `
			WITH RECURSIVE down (id, session) AS (
				SELECT
					id,
					session
				FROM messages
				WHERE id = ?
				UNION ALL
				SELECT
					(SELECT max(m.id) FROM messages m WHERE m.session = down.session AND m.parent = down.id),
					session
				FROM down
				WHERE id IS NOT NULL
			)
			SELECT max(id)
			FROM down`, id).Scan(&leaf)
	})
	if err == nil && !leaf.Valid {
		err = &sqlite.Error{Doing: fmt.Sprintf("find message %d", id), Kind: ErrNotFound}
	}
	return leaf.Int64, err
}
