package store

import (
	"context"

	"winnow/session/store/sqlite"
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
	keys, err := answers(ctx, s, question{doing: "list the requests", session: session, query: `
		SELECT
			id,
			turn,
			user
		FROM requests
		WHERE session = ?
		ORDER BY id`}, func(scan func(...any) error) (k RequestKey, err error) {
		err = scan(&k.ID, &k.Turn, &k.User)
		return k, err
	})
	number(keys)
	return keys, err
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
	return s.requestsWhere(ctx, session, `r.session = ? AND r.id IN (SELECT value FROM json_each(?))`, sqlite.IDs(ids))
}
