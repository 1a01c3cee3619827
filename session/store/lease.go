package store

import (
	"context"
	"database/sql"
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
	release = func() {}
	if s.readOnly {
		others, err := s.Leased(ctx)
		return slices.Contains(others, session), release, err
	}
	token, err := s.owner.Take(ctx)
	if err != nil {
		return false, release, err
	}
	lease, err := inTx(ctx, s.jot, "take the session for this window", func(t *tx) int64 {
		for _, owner := range list[string](t, `SELECT DISTINCT owner FROM windows WHERE owner <> ?`, token) {
			if !s.owner.Alive(owner) {
				t.exec(`DELETE FROM windows WHERE owner = ?`, owner)
			}
		}
		return value[int64](t, `
			INSERT INTO windows (session, owner)
			SELECT :session, :owner
			WHERE NOT EXISTS (SELECT 1 FROM windows WHERE session = :session AND owner <> :owner)
			RETURNING id`, sql.Named("session", sessionKey(t, session)), sql.Named("owner", token))
	})
	if err != nil || lease == 0 {
		return err == nil, release, err
	}
	return false, sync.OnceFunc(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		// A row that cannot be removed ends with the window.
		_ = s.jot(ctx, "let go of the session", func(t *tx) { t.exec(`DELETE FROM windows WHERE id = ?`, lease) })
	}), nil
}

// Leased lists the ids of the sessions that other living windows have leased, in no order.
func (s *Store) Leased(ctx context.Context) ([]string, error) {
	return inTx(ctx, s.view, "look which sessions other windows have open", func(t *tx) (sessions []string) {
		var owner, session string
		for range t.rows([]any{&owner, &session}, `
			SELECT w.owner, s.id
			FROM windows w
			JOIN sessions s ON s.n = w.session
			WHERE w.owner <> ?`, s.owner.Token()) {
			if s.owner.Alive(owner) {
				sessions = append(sessions, session)
			}
		}
		return sessions
	})
}
