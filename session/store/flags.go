package store

import (
	"context"
	"database/sql"
	"fmt"

	"winnow/history"
)

// Flags returns what the user decided about the messages of a session, by message.
func (s *Store) Flags(ctx context.Context, session string) (map[int64]history.Flag, error) {
	// There are few flags and many messages: CROSS JOIN begins with the flags.
	return decisions[history.Flag](ctx, s, question{doing: "read the flags", session: session, query: `
		SELECT
			f.message,
			f.flag
		FROM flags f
		CROSS JOIN messages m ON m.id = f.message
		WHERE m.session = ?`})
}

// SetFlags pins or excludes messages: each of them gets its flag, "" for none, or none does where one is
// not there. It returns the flags that were there before, "" for none, of those messages that have another
// one now: to set them again undoes it.
func (s *Store) SetFlags(ctx context.Context, flags map[int64]history.Flag) (map[int64]history.Flag, error) {
	for message, flag := range flags {
		switch flag {
		case history.Pin, history.Exclude, "":
		default:
			return nil, fmt.Errorf("flag message %d: there is no flag %q", message, flag)
		}
	}
	before := map[int64]history.Flag{}
	err := s.save(ctx, "flag the messages", func(tx *sql.Tx) error {
		clear(before)
		for message, flag := range flags {
			was, err := flagOf(ctx, tx, message)
			if err != nil {
				return err
			}
			if was == flag {
				continue
			}
			before[message] = was
			if err := s.setFlag(ctx, tx, message, flag); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return before, nil
}

// flagOf is the flag of a message that must be there, "" for none.
func flagOf(ctx context.Context, tx *sql.Tx, message int64) (history.Flag, error) {
	var flag history.Flag
	err := tx.QueryRowContext(ctx, `
		SELECT coalesce(f.flag, '')
		FROM messages m
		LEFT JOIN flags f ON f.message = m.id
		WHERE m.id = ?`, message).Scan(&flag)
	return flag, found(fmt.Sprintf("find message %d", message), err)
}

func (s *Store) setFlag(ctx context.Context, tx *sql.Tx, message int64, flag history.Flag) error {
	if flag == "" {
		_, err := tx.ExecContext(ctx, `DELETE FROM flags WHERE message = ?`, message)
		return err
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO flags (message, flag, created_ms)
		VALUES (?1, ?2, ?3)
		ON CONFLICT (message) DO UPDATE
		SET flag = ?2,
			created_ms = ?3`, message, flag, s.now().UnixMilli())
	return err
}
