package store

import (
	"context"
	"database/sql"
)

// Elsewhere lists the ids of the sessions that other living windows have open, in no order.
func (s *Store) Elsewhere(ctx context.Context) ([]string, error) {
	s.mu.Lock()
	token := ""
	if s.owner != nil {
		token = s.owner.token
	}
	s.mu.Unlock()
	open := map[string][]string{} // by owner
	err := s.view(ctx, "look which sessions are open elsewhere", func(tx *sql.Tx) error {
		clear(open)
		rows, err := tx.QueryContext(ctx, `
			SELECT
				w.owner,
				s.id
			FROM windows w
			JOIN sessions s ON s.n = w.session
			WHERE w.owner != ?`, token)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var owner, session string
			if err := rows.Scan(&owner, &session); err != nil {
				return err
			}
			open[owner] = append(open[owner], session)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	var sessions []string
	for owner, of := range open {
		if s.alive(owner) {
			sessions = append(sessions, of...)
		}
	}
	return sessions, nil
}
