package store

import (
	"context"
	"slices"
	"sync"
	"time"
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
	nobody := func() {}
	if s.readOnly {
		leased, err := s.LeasedByOther(ctx, session)
		return leased, nobody, err
	}
	token, err := s.owner.Take(ctx)
	if err != nil {
		return false, nobody, err
	}
	_, dead, err := s.leases(ctx)
	if err != nil {
		return false, nobody, err
	}
	s.hold(session, 1)
	leased, err = inTx(ctx, s.jot, "take the session for this window", func(t *tx) bool {
		return s.takeLease(t, session, token, dead)
	})
	if err != nil || leased {
		s.hold(session, -1)
		return leased, nobody, err
	}
	return false, sync.OnceFunc(func() { s.endLease(session, token) }), nil
}

// takeLease ends the leases of dead windows and takes that of the session where nobody else has it. Whoever
// came since the dead were counted has only just come, and lives.
func (s *Store) takeLease(t *tx, session, token string, dead []string) (leased bool) {
	for _, owner := range dead {
		endLeases(t, owner)
	}
	n := sessionKey(t, session)
	if value[bool](t, `SELECT count(*) > 0 FROM windows WHERE session = ? AND owner != ?`, n, token) {
		return true
	}
	t.exec(`INSERT INTO windows (session, owner, since_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
		n, token, s.now().UnixMilli())
	return false
}

// endLeases ends every lease of one window.
func endLeases(t *tx, owner string) { t.exec("DELETE FROM windows WHERE owner = ?", owner) }

// hold counts how often this store has a session, and returns the count.
func (s *Store) hold(session string, by int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held == nil {
		s.held = map[string]int{}
	}
	s.held[session] += by
	return s.held[session]
}

// endLease gives one lease back, and removes its row where this store has no other of the session. A row that
// cannot be removed ends with the window.
func (s *Store) endLease(session, token string) {
	s.hold(session, -1)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.jot(ctx, "let go of the session", func(t *tx) {
		if s.hold(session, 0) == 0 {
			t.exec(`DELETE FROM windows WHERE session = ? AND owner = ?`, sessionThere(t, session), token)
		}
	})
}

// LeasedByOther reports whether another living window has the lease of a session.
func (s *Store) LeasedByOther(ctx context.Context, session string) (bool, error) {
	if err := s.view(ctx, "find the session", func(t *tx) { sessionKey(t, session) }); err != nil {
		return false, err
	}
	leased, err := s.LeasedByOthers(ctx)
	return slices.Contains(leased, session), err
}

// LeasedByOthers lists the ids of the sessions that other living windows have leased, in no order.
func (s *Store) LeasedByOthers(ctx context.Context) ([]string, error) {
	leased, _, err := s.leases(ctx)
	return leased, err
}

// leases are the ids of the sessions that other windows have leased, and which of these windows are dead: their leases
// do not count.
func (s *Store) leases(ctx context.Context) (sessions, dead []string, err error) {
	of := map[string][]string{}
	err = s.view(ctx, "look which sessions other windows have open", func(t *tx) {
		clear(of)
		t.each(func(scan func(...any) error) error {
			var owner, session string
			err := scan(&owner, &session)
			of[owner] = append(of[owner], session)
			return err
		}, `
			SELECT w.owner, s.id
			FROM windows w
			JOIN sessions s ON s.n = w.session
			WHERE w.owner != ?`, s.owner.Token())
	})
	for owner, ids := range of {
		if s.owner.Alive(owner) {
			sessions = append(sessions, ids...)
		} else {
			dead = append(dead, owner)
		}
	}
	return sessions, dead, err
}
