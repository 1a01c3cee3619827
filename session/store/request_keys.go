package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// RequestKey says which request of a session a record is of, and nothing of what it holds.
type RequestKey struct {
	ID      int64
	Turn    int
	Nth, Of int   // it is the turn's Nth request of Of, from 1
	User    int64 // the user message that it answers
}

// RequestKeys returns the keys of a session's requests, the oldest first.
func (s *Store) RequestKeys(ctx context.Context, session string) ([]RequestKey, error) {
	var out []RequestKey
	err := s.view(ctx, "list the requests", func(tx *sql.Tx) error {
		out = nil
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
			SELECT
				id,
				turn,
				user
			FROM requests
			WHERE session = ?
			ORDER BY id`, n)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var k RequestKey
			if err := rows.Scan(&k.ID, &k.Turn, &k.User); err != nil {
				return err
			}
			out = append(out, k)
		}
		return rows.Err()
	})
	number(out)
	return out, err
}

// number counts the requests of each turn.
func number(keys []RequestKey) {
	of := map[int]int{}
	for i := range keys {
		k := &keys[i]
		of[k.Turn]++
		k.Nth = of[k.Turn]
	}
	for i := range keys {
		keys[i].Of = of[keys[i].Turn]
	}
}

// RequestsByID returns those of a session's requests that have one of the ids, the oldest first.
func (s *Store) RequestsByID(ctx context.Context, session string, ids ...int64) ([]Request, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("read the requests: %w", err)
	}
	return s.requestsWhere(ctx, session, `r.session = ? AND r.id IN (SELECT value FROM json_each(?))`, string(list))
}
