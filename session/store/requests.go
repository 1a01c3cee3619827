package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"winnow/session/store/sqlite"
	"winnow/session/store/verdicts"
)

// AddRequest records a request that is about to be sent with its Plan, and sets its ID, and Created where
// it is zero. Durations are kept to the microsecond. What comes back has no Plan.
func (s *Store) AddRequest(ctx context.Context, r Request) (Request, error) {
	r.ID = 0
	s.mu.Lock()
	newest := s.newestPlan
	s.mu.Unlock()
	var plans verdicts.Writer
	out, err := inTx(ctx, s.jot, "record the request", func(tx *sql.Tx) (Request, error) {
		plans = newest
		return s.putRequest(ctx, tx, &plans, r)
	})
	if err != nil {
		plans = verdicts.Writer{}
	}
	s.mu.Lock()
	s.newestPlan = plans
	s.mu.Unlock()
	return out, err
}

// UpdateRequest replaces the record with the request's ID, or returns ErrNotFound. Its plan stays.
func (s *Store) UpdateRequest(ctx context.Context, r Request) error {
	if r.ID == 0 {
		return &sqlite.Error{Doing: "update the request", Kind: ErrNotFound}
	}
	return s.jot(ctx, "update the request", func(tx *sql.Tx) error {
		_, err := s.putRequest(ctx, tx, nil, r)
		return err
	})
}

// putRequest inserts a request without an ID, whose plan goes to plans, and replaces one that has it.
func (s *Store) putRequest(ctx context.Context, tx *sql.Tx, plans *verdicts.Writer, r Request) (Request, error) {
	n, err := sessionKey(ctx, tx, r.Session)
	if err != nil {
		return r, err
	}
	r.Error, r.Fault = s.clean(r.Error), s.clean(r.Fault)
	if r.Created.IsZero() {
		r.Created = s.now()
	}
	r.Created = sqlite.Time(sqlite.Milliseconds(r.Created))
	r.FirstToken, r.Took = r.FirstToken.Truncate(time.Microsecond), r.Took.Truncate(time.Microsecond)
	values, err := sqlite.Values(r)
	if err != nil {
		return r, err
	}
	if r.ID != 0 {
		changed, err := sqlite.Update(ctx, tx, "requests", values, sql.Named("id", r.ID), sql.Named("session", n))
		if err == nil && changed == 0 {
			err = &sqlite.Error{Doing: fmt.Sprintf("find request %d", r.ID), Kind: ErrNotFound}
		}
		if err != nil {
			return r, err
		}
		return r, tellAgain(ctx, tx, r.ID)
	}
	plan := r.Plan
	r.Plan = nil
	if r.ID, err = s.newID(ctx, tx); err != nil {
		return r, err
	}
	_, err = sqlite.Insert(ctx, tx, "requests", append(values, sql.Named("id", r.ID), sql.Named("session", n))...)
	if err != nil || plan == nil {
		return r, err
	}
	return r, plans.Put(ctx, tx, verdicts.Key{Session: n, Request: r.ID, Purpose: string(r.Purpose)}, *plan)
}

// Requests returns the requests of a session, the oldest first.
func (s *Store) Requests(ctx context.Context, session string) ([]Request, error) {
	return s.requestsWhere(ctx, session, `session = ? ORDER BY id`)
}

// TurnRequests returns the requests of a session's turn, the oldest first. There are several where
// the model called tools, where it was asked again, and where the first was too large; there is none
// where the turn was imported.
func (s *Store) TurnRequests(ctx context.Context, session string, turn int) ([]Request, error) {
	return s.requestsWhere(ctx, session, `session = ? AND turn = ? ORDER BY id`, turn)
}

// NewestRequests returns at most n of a session's requests, the newest first, of those before one with an id; 0 is
// all of them.
func (s *Store) NewestRequests(ctx context.Context, session string, before int64, n int) ([]Request, error) {
	return s.requestsWhere(ctx, session, `session = ?1 AND (?2 = 0 OR id < ?2) ORDER BY id DESC LIMIT ?3`, before, n)
}

// requestsWhere returns the requests that a condition of the session's key and args picks.
func (s *Store) requestsWhere(ctx context.Context, session, condition string, args ...any) ([]Request, error) {
	all, err := withSession(ctx, s.view, "read the requests", session, func(tx *sql.Tx, n int64) ([]Request, error) {
		return sqlite.Rows[Request](ctx, tx, "requests WHERE "+condition, append([]any{n}, args...)...)
	})
	for i := range all {
		all[i].Session = session
	}
	return all, err
}

// Turn is the number of the turn that a user's message begins: how many messages the user has
// written in its session up to it, on every branch.
func (s *Store) Turn(ctx context.Context, message int64) (int, error) {
	turn, err := inTx(ctx, s.view, "number the turn", func(tx *sql.Tx) (int, error) { return turnOf(ctx, tx, message) })
	if err == nil && turn == 0 {
		err = &sqlite.Error{Doing: fmt.Sprintf("find message %d", message), Kind: ErrNotFound}
	}
	return turn, err
}

// turnOf is the turn of a user's message, 0 where it is not here.
func turnOf(ctx context.Context, tx *sql.Tx, message int64) (turn int, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT count(*)
		FROM messages u
		JOIN messages m ON m.session = u.session AND m.seq <= u.seq
		WHERE u.id = ?
			AND m.role = 'user'`, message).Scan(&turn)
	return turn, err
}

// ClearCuts takes back that the server read only a part of some requests of a session.
func (s *Store) ClearCuts(ctx context.Context, session string, ids []int64) error {
	return s.jot(ctx, "update the requests", func(tx *sql.Tx) error {
		n, err := sessionThere(ctx, tx, session)
		if err != nil {
			return err
		}
		for _, id := range ids {
			err := execute(ctx, tx, `
				UPDATE requests
				SET cut_expected = 0
				WHERE id = ?
					AND session = ?`, id, n)
			if err != nil {
				return err
			}
			if err := tellAgain(ctx, tx, id); err != nil {
				return err
			}
		}
		return nil
	})
}
