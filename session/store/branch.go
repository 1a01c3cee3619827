package store

import (
	"context"
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
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []Message {
		from := leaf
		if before != 0 {
			inSession(t, n, before)
			from = value[int64](t, `SELECT parent FROM messages WHERE id = ?`, before)
		}
		inSession(t, n, from)
		if from == 0 {
			return nil
		}
		if limit <= 0 {
			limit = -1
		}
		// CROSS JOIN keeps SQLite from reading the session's messages first.
		return complete(t, session, readMessages(t, "("+branchUp+` SELECT id AS of_branch FROM branch)
			CROSS JOIN messages m ON m.id = of_branch`, from, n, limit))
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

// branchIDs returns the ids of the branch that ends at a message, in order, and fails with ErrNotFound where it is not
// in the session.
func branchIDs(t *tx, session, leaf int64) []int64 {
	ids := t.ids(branchUp+" SELECT id FROM branch", leaf, session, -1)
	if len(ids) == 0 {
		t.missing("find message %d in its session", leaf)
	}
	slices.Reverse(ids)
	return ids
}

// BranchIDs returns the ids of the branch that ends at leaf, in order; none for leaf 0.
func (s *Store) BranchIDs(ctx context.Context, session string, leaf int64) ([]int64, error) {
	if leaf == 0 {
		return nil, nil
	}
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []int64 {
		return branchIDs(t, n, leaf)
	})
}

// Answered returns what a message belongs to on its branch: the user's message that it follows, itself where it is one,
// and where it is the result of a tool the message that called it. Each is 0 where there is none.
func (s *Store) Answered(ctx context.Context, message int64) (question, call int64, err error) {
	err = s.view(ctx, "find the message's question", func(t *tx) {
		question, call = 0, 0
		result := false
		t.each(func(scan func(...any) error) error {
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
				SELECT id, parent, role
				FROM messages
				WHERE id = ?
				UNION ALL
				SELECT m.id, m.parent, m.role
				FROM up
				JOIN messages m ON m.id = up.parent
				WHERE up.role <> 'user'
			)
			SELECT id, role
			FROM up`, message)
	})
	return question, call, err
}

// Uncounted is how many bytes of text the messages with these ids have whose tokens a tokenizer has not counted.
func (s *Store) Uncounted(ctx context.Context, ids []int64, tokenizer string) (int, error) {
	return inTx(ctx, s.view, "read the messages", func(t *tx) int {
		return value[int](t, `
			SELECT coalesce(sum(octet_length(m.content)), 0)
			FROM json_each(?) ids
			CROSS JOIN messages m ON m.id = ids.value
			WHERE m.tokens = 0 OR m.tokenizer <> ?`, sqlite.IDs(ids), tokenizer)
	})
}

// Siblings returns the ids of the messages that share a message's parent, itself included, the
// oldest first.
func (s *Store) Siblings(ctx context.Context, id int64) ([]int64, error) {
	return inTx(ctx, s.view, "read the message's versions", func(t *tx) []int64 {
		ids := t.ids(`
			SELECT x.id
			FROM messages m
			JOIN messages x ON x.session = m.session AND x.parent = m.parent
			WHERE m.id = ?
			ORDER BY x.id`, id)
		if len(ids) == 0 {
			t.missing("find message %d", id)
		}
		return ids
	})
}

// LeafUnder returns the message at the end of the branch that a message begins, taking the newest
// child at every fork: where a switch to that message leads.
func (s *Store) LeafUnder(ctx context.Context, id int64) (int64, error) {
	return inTx(ctx, s.view, "find the end of the branch", func(t *tx) int64 {
		leaf := value[int64](t, `
			WITH RECURSIVE down (id, session) AS (
				SELECT id, session
				FROM messages
				WHERE id = ?
				UNION ALL
				SELECT (SELECT max(m.id) FROM messages m WHERE m.session = down.session AND m.parent = down.id), session
				FROM down
				WHERE id IS NOT NULL
			)
			SELECT coalesce(max(id), 0)
			FROM down`, id)
		if leaf == 0 {
			t.missing("find message %d", id)
		}
		return leaf
	})
}

// Reply is the message that follows another one on its newest branch, 0 for none.
func (s *Store) Reply(ctx context.Context, message int64) (int64, error) {
	return inTx(ctx, s.view, "find the reply", func(t *tx) int64 {
		return value[int64](t, `
			SELECT coalesce(max(x.id), 0)
			FROM messages m
			JOIN messages x ON x.session = m.session AND x.parent = m.id
			WHERE m.id = ?`, message)
	})
}

// Turn is the number of the turn that a user's message begins: how many messages the user has
// written in its session up to it, on every branch.
func (s *Store) Turn(ctx context.Context, message int64) (int, error) {
	return inTx(ctx, s.view, "number the turn", func(t *tx) int {
		turn := turnOf(t, message)
		if turn == 0 {
			t.missing("find message %d", message)
		}
		return turn
	})
}

// turnOf is the turn of a user's message, 0 where it is not here.
func turnOf(t *tx, message int64) int {
	return value[int](t, `
		SELECT count(*)
		FROM messages u
		JOIN messages m ON m.session = u.session AND m.seq <= u.seq
		WHERE u.id = ? AND m.role = 'user'`, message)
}
