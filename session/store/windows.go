package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"
)

// A session that stands open in two windows would grow two ends without anybody wanting it. So a window
// that opens a session to write in it says so in the file. It says so under its owner's token, and
// means something only as long as that owner holds its lock: a window that died keeps nobody out.

// Occupy takes a session for this store's window, so that other windows do not write in it by mistake.
// It returns elsewhere where another living window has it already; then nothing is taken, and release
// does nothing. A store may take a session several times; it is free when the last of them is
// released, or when the store is closed.
//
// Nothing else in the store depends on it: whoever writes without having asked is not held up.
func (s *Store) Occupy(ctx context.Context, session string) (elsewhere bool, release func(), err error) {
	doing := "take the session for this window"
	nobody := func() {}
	if s.readOnly {
		elsewhere, err := s.OpenElsewhere(ctx, session)
		return elsewhere, nobody, err
	}
	token, err := s.own(ctx)
	if err != nil {
		return false, nobody, err
	}
	dead, _, err := s.occupants(ctx, session, token)
	if err != nil {
		return false, nobody, explain(doing, s.path, err)
	}
	s.hold(session, 1)
	err = s.jot(ctx, doing, func(tx *sql.Tx) error {
		var err error
		elsewhere, err = s.occupy(ctx, tx, session, token, dead)
		return err
	})
	if err != nil || elsewhere {
		s.hold(session, -1)
		return elsewhere, nobody, err
	}
	return false, sync.OnceFunc(func() { s.leave(session, token) }), nil
}

// occupy forgets dead windows and marks the session as this window's where nobody else has it. Whoever
// came since the dead were counted has only just come, and lives.
func (s *Store) occupy(ctx context.Context, tx *sql.Tx, session, token string, dead []string) (elsewhere bool, err error) {
	for _, owner := range dead {
		if err := vacate(ctx, tx, owner); err != nil {
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
		WHERE session = ? AND owner != ?`, n, token).Scan(&elsewhere)
	if err != nil || elsewhere {
		return elsewhere, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO windows (session, owner, since_ms)
		VALUES (?, ?, ?)
		ON CONFLICT DO NOTHING`, n, token, ms(s.now()))
	return false, err
}

// vacate removes every mark of one window.
func vacate(ctx context.Context, tx *sql.Tx, owner string) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM windows WHERE owner = ?", owner); err != nil {
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

// leave gives a session back, and takes the mark away where this store has it no other way. A mark that
// cannot be taken away ends with the window.
func (s *Store) leave(session, token string) {
	s.hold(session, -1)
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.jot(ctx, "let go of the session", func(tx *sql.Tx) error {
		if s.holds(session) {
			return nil
		}
		_, err := tx.ExecContext(ctx, `
			DELETE FROM windows
			WHERE session = (SELECT n FROM sessions WHERE id = ?) AND owner = ?`, session, token)
		return err
	})
}

// OpenElsewhere says whether another living window has a session open.
func (s *Store) OpenElsewhere(ctx context.Context, session string) (bool, error) {
	s.mu.Lock()
	token := ""
	if s.owner != nil {
		token = s.owner.token
	}
	s.mu.Unlock()
	_, elsewhere, err := s.occupants(ctx, session, token)
	return elsewhere, explain("look which windows have the session open", s.path, err)
}

// occupants asks after all windows that marked something but the one of token: which of them are dead,
// and whether one that lives has the session.
func (s *Store) occupants(ctx context.Context, session, token string) (dead []string, elsewhere bool, err error) {
	here := map[string]bool{} // by owner: it marked this session
	err = s.view(ctx, "look which windows are open", func(tx *sql.Tx) error {
		clear(here)
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT
				owner,
				max(session = ?)
			FROM windows
			WHERE owner != ?
			GROUP BY owner`, n, token)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var owner string
			var this bool
			if err := rows.Scan(&owner, &this); err != nil {
				return err
			}
			here[owner] = this
		}
		return rows.Err()
	})
	for owner, this := range here {
		switch {
		case !s.alive(owner):
			dead = append(dead, owner)
		case this:
			elsewhere = true
		}
	}
	return dead, elsewhere, err
}
