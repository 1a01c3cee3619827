package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Branch returns the newest limit messages of the branch that ends at leaf, in order, with their
// calls and parts. With before, a message of that branch, it returns those older than it: the next
// page towards the beginning. before is 0 for the page at the leaf, limit 0 for all of them.
//
// The walk follows the parents, so it costs what it returns, however long the session is.
func (s *Store) Branch(ctx context.Context, session string, leaf, before int64, limit int) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(tx *sql.Tx) ([]Message, error) {
		return branch(ctx, tx, session, leaf, before, limit)
	})
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

// Answered returns what a message belongs to on its branch: the user's message that it follows, itself where it is one,
// and where it is the result of a tool the message that called it. Each is 0 where there is none.
func (s *Store) Answered(ctx context.Context, message int64) (question, call int64, err error) {
	err = s.view(ctx, "find the message's question", func(tx *sql.Tx) error {
		question, call = 0, 0
		var result bool
		return sqlite.Each(ctx, tx, func(scan func(...any) error) error {
			var id int64
			var role history.Role
			err := scan(&id, &role)
			result = result || id == message && role == history.Tool
			switch {
			case role == history.User:
				question = id
			case role == history.Assistant && result && call == 0:
				call = id
			}
			return err
		}, `
			WITH RECURSIVE up (id, parent, role) AS (
				SELECT
					id,
					parent,
					role
				FROM messages
				WHERE id = ?
				UNION ALL
				SELECT
					m.id,
					m.parent,
					m.role
				FROM up
				JOIN messages m ON m.id = up.parent
				WHERE up.role <> 'user'
			)
			SELECT
				id,
				role
			FROM up`, message)
	})
	return question, call, err
}

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
	all, err := readMessages(ctx, tx, "("+branchUp+" SELECT id AS of_branch FROM branch) CROSS JOIN messages m ON m.id = of_branch",
		from, n, limit)
	if err != nil {
		return nil, err
	}
	return complete(ctx, tx, session, all)
}

// branchIDs returns the ids of the branch that ends at a message, in order.
func branchIDs(ctx context.Context, tx *sql.Tx, session, leaf int64) ([]int64, error) {
	ids, err := idsWhere(ctx, tx, branchUp+`
		SELECT id
		FROM branch`, leaf, session, -1)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, &sqlite.Error{Doing: fmt.Sprintf("find message %d in its session", leaf), Kind: ErrNotFound}
	}
	slices.Reverse(ids)
	return ids, nil
}

// BranchIDs returns the ids of the branch that ends at leaf, in order; none for leaf 0.
func (s *Store) BranchIDs(ctx context.Context, session string, leaf int64) ([]int64, error) {
	if leaf == 0 {
		return nil, nil
	}
	return withSession(ctx, s.view, "read the messages", session, func(tx *sql.Tx, n int64) ([]int64, error) {
		return branchIDs(ctx, tx, n, leaf)
	})
}

// Uncounted is how many bytes of text the messages with these ids have whose tokens a tokenizer has not counted.
func (s *Store) Uncounted(ctx context.Context, ids []int64, tokenizer string) (int, error) {
	return inTx(ctx, s.view, "read the messages", func(tx *sql.Tx) (size int, err error) {
		err = tx.QueryRowContext(ctx, `
			SELECT coalesce(sum(octet_length(m.content)), 0)
			FROM json_each(?) ids
			CROSS JOIN messages m ON m.id = ids.value
			WHERE m.tokens = 0
				OR m.tokenizer <> ?`, sqlite.IDs(ids), tokenizer).Scan(&size)
		return size, err
	})
}

// Siblings returns the ids of the messages that share a message's parent, itself included, the
// oldest first.
func (s *Store) Siblings(ctx context.Context, id int64) ([]int64, error) {
	return inTx(ctx, s.view, "read the message's versions", func(tx *sql.Tx) ([]int64, error) {
		ids, err := idsWhere(ctx, tx, `
			SELECT x.id
			FROM messages m
			JOIN messages x ON x.session = m.session AND x.parent = m.parent
			WHERE m.id = ?
			ORDER BY x.id`, id)
		if err == nil && len(ids) == 0 {
			err = &sqlite.Error{Doing: fmt.Sprintf("find message %d", id), Kind: ErrNotFound}
		}
		return ids, err
	})
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
