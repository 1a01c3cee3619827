package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"time"

	"winnow/session/store/sqlite"
)

// A session that is open in two windows would grow two ends without anybody wanting it. So a window that
// opens a session to write in it takes a lease: a row in the file with the window's owner token. A lease is
// valid as long as its owner holds its lock: a window that died keeps nobody out.

// Lease takes the lease of a session for this store's window, so that other windows do not write in it by
// mistake. leased is true where another living window has it already; then nothing is taken, and release
// does nothing. A store may take a lease several times; it ends when the last of them is released, or when
// the store is closed.
//
// Nothing else in the store depends on it: whoever writes without a lease is not held up.
func (s *Store) Lease(ctx context.Context, session string) (leased bool, release func(), err error) {
	doing := "take the session for this window"
	nobody := func() {}
	if s.readOnly {
		leased, err := s.LeasedByOther(ctx, session)
		return leased, nobody, err
	}
	token, err := s.owner.Take(ctx)
	if err != nil {
		return false, nobody, err
	}
	dead, _, err := s.otherLeases(ctx, session, token)
	if err != nil {
		return false, nobody, explain(doing, s.path, err)
	}
	s.hold(session, 1)
	err = s.jot(ctx, doing, func(tx *sql.Tx) error {
		var err error
		leased, err = s.takeLease(ctx, tx, session, token, dead)
		return err
	})
	if err != nil || leased {
		s.hold(session, -1)
		return leased, nobody, err
	}
	return false, sync.OnceFunc(func() { s.endLease(session, token) }), nil
}

// takeLease ends the leases of dead windows and takes that of the session where nobody else has it. Whoever
// came since the dead were counted has only just come, and lives.
func (s *Store) takeLease(ctx context.Context, tx *sql.Tx, session, token string, dead []string) (leased bool, err error) {
	for _, owner := range dead {
		if err := endLeases(ctx, tx, owner); err != nil {
			return false, err
		}
	}
	n, err := sessionKey(ctx, tx, session)
	if err != nil {
		return false, err
	}
	err = tx.QueryRowContext(ctx, `
		SELECT count(*) > 0
		FROM windows
		WHERE session = ? AND owner != ?`, n, token).Scan(&leased)
	if err != nil || leased {
		return leased, err
	}
	return false, execute(ctx, tx, `
		INSERT INTO windows (session, owner, since_ms)
		VALUES (?, ?, ?)
		ON CONFLICT DO NOTHING`, n, token, milliseconds(s.now()))
}

// endLeases ends every lease of one window.
func endLeases(ctx context.Context, tx *sql.Tx, owner string) error {
	if err := execute(ctx, tx, "DELETE FROM windows WHERE owner = ?", owner); err != nil {
		return fmt.Errorf("forget a window that is gone: %w", err)
	}
	return nil
}

// hold counts how often this store has a session.
func (s *Store) hold(session string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]int{}
	}
	if s.held[session] += by; s.held[session] == 0 {
		delete(s.held, session)
	}
}

func (s *Store) holds(session string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[session] > 0
}

// endLease gives one lease back, and removes its row where this store has no other of the session. A row that
// cannot be removed ends with the window.
func (s *Store) endLease(session, token string) {
	s.hold(session, -1)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.jot(ctx, "let go of the session", func(tx *sql.Tx) error {
		if s.holds(session) {
			return nil
		}
		return execute(ctx, tx, `
			DELETE FROM windows
			WHERE session = (SELECT n FROM sessions WHERE id = ?) AND owner = ?`, session, token)
	})
}

// LeasedByOther reports whether another living window has the lease of a session.
func (s *Store) LeasedByOther(ctx context.Context, session string) (bool, error) {
	_, leased, err := s.otherLeases(ctx, session, s.owner.Token())
	return leased, explain("look which windows have the session open", s.path, err)
}

// otherLeases returns which of the other windows than that of token are dead, and whether one that lives has
// leased the session.
func (s *Store) otherLeases(ctx context.Context, session, token string) (dead []string, leased bool, err error) {
	if _, err := inTx(ctx, s.view, "find the session", func(tx *sql.Tx) (int64, error) { return sessionKey(ctx, tx, session) }); err != nil {
		return nil, false, err
	}
	leases, err := s.leases(ctx, token)
	for owner, sessions := range leases {
		switch {
		case !s.owner.Alive(owner):
			dead = append(dead, owner)
		case slices.Contains(sessions, session):
			leased = true
		}
	}
	return dead, leased, err
}

// leases are the ids of the sessions that other windows than that of token have leased, by owner.
func (s *Store) leases(ctx context.Context, token string) (map[string][]string, error) {
	return inTx(ctx, s.view, "look which sessions other windows have open", func(tx *sql.Tx) (map[string][]string, error) {
		leases := map[string][]string{}
		err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
			var owner, session string
			err := scan(&owner, &session)
			leases[owner] = append(leases[owner], session)
			return err
		}, `
			SELECT
				w.owner,
				s.id
			FROM windows w
			JOIN sessions s ON s.n = w.session
			WHERE w.owner != ?`, token)
		return leases, err
	})
}

// LeasedByOthers lists the ids of the sessions that other living windows have leased, in no order.
func (s *Store) LeasedByOthers(ctx context.Context) ([]string, error) {
	leases, err := s.leases(ctx, s.owner.Token())
	var out []string
	for owner, sessions := range leases {
		if s.owner.Alive(owner) {
			out = append(out, sessions...)
		}
	}
	return out, err
}
