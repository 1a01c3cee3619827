package store

import (
	"context"
	"database/sql"
	"fmt"

	"winnow/history"
)

// Flags returns what the user decided about the messages of a session, by message.
func (s *Store) Flags(ctx context.Context, session string) (map[int64]history.Flag, error) {
	flags := map[int64]history.Flag{}
	err := s.view(ctx, "read the flags", func(tx *sql.Tx) error {
		clear(flags)
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		// There are few flags and many messages: CROSS JOIN begins with the flags.
		rows, err := tx.QueryContext(ctx, `
			SELECT
				f.message,
				f.flag
			FROM flags f
			CROSS JOIN messages m ON m.id = f.message
			WHERE m.session = ?`, n)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id int64
			var flag history.Flag
			if err := rows.Scan(&id, &flag); err != nil {
				return err
			}
			flags[id] = flag
		}
		return rows.Err()
	})
	return flags, err
}

// SetFlag pins or excludes a message; an empty flag takes its flag away.
func (s *Store) SetFlag(ctx context.Context, message int64, flag history.Flag) error {
	switch flag {
	case history.Pin, history.Exclude, "":
	default:
		return fmt.Errorf("flag message %d: there is no flag %q", message, flag)
	}
	return s.save(ctx, "flag the message", func(tx *sql.Tx) error {
		var one int
		err := tx.QueryRowContext(ctx, `SELECT 1 FROM messages WHERE id = ?`, message).Scan(&one)
		if err != nil {
			return found(fmt.Sprintf("find message %d", message), err)
		}
		if flag == "" {
			_, err = tx.ExecContext(ctx, `DELETE FROM flags WHERE message = ?`, message)
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO flags (message, flag, created_ms)
			VALUES (?1, ?2, ?3)
			ON CONFLICT (message) DO UPDATE
			SET flag = ?2,
				created_ms = ?3`, message, flag, s.now().UnixMilli())
		return err
	})
}
