package store

import (
	"context"
	"database/sql"

	"winnow/session/store/sqlite"
)

// Messages returns all messages of a session, those of every branch, in the order in which they were
// stored: a message comes behind its parent.
func (s *Store) Messages(ctx context.Context, session string) ([]Message, error) {
	var out []Message
	err := s.view(ctx, "read the messages", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		all, err := sqlite.Collect(ctx, tx, newScan().next, `
			SELECT`+messageColumns+`
			FROM messages m
			WHERE m.session = ?
			ORDER BY m.id`, n)
		if err != nil {
			return err
		}
		out, err = complete(ctx, tx, session, all)
		return err
	})
	return out, err
}
