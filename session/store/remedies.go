package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"winnow/history"
)

// Remedies returns what the user had sent in place of the damaged messages of a session, by message.
// Messages that are mended are not among them.
func (s *Store) Remedies(ctx context.Context, session string) (map[int64]history.Remedy, error) {
	// There are few remedies and many messages: CROSS JOIN begins with the remedies.
	return decisions[history.Remedy](ctx, s, question{doing: "read the remedies", session: session, query: `
		SELECT
			r.message,
			r.remedy
		FROM remedies r
		CROSS JOIN messages m ON m.id = r.message
		WHERE m.session = ?`})
}

// SetRemedies keeps a remedy for some messages, or for none of them where one is not there; history.Mend
// takes theirs away. Recorded repairs of these messages are undone by any other remedy.
func (s *Store) SetRemedies(ctx context.Context, r history.Remedy, messages ...int64) error {
	if !slices.Contains(history.Remedies(), r) {
		return fmt.Errorf("set the remedy of messages %v: there is no remedy %q", messages, r)
	}
	return s.save(ctx, "keep the remedy", func(tx *sql.Tx) error {
		for _, message := range messages {
			if err := s.setRemedy(ctx, tx, r, message); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) setRemedy(ctx context.Context, tx *sql.Tx, r history.Remedy, message int64) error {
	var one int
	err := tx.QueryRowContext(ctx, `SELECT 1 FROM messages WHERE id = ?`, message).Scan(&one)
	if err != nil {
		return found(fmt.Sprintf("find message %d", message), err)
	}
	if r == history.SendRepaired {
		_, err = tx.ExecContext(ctx, `DELETE FROM remedies WHERE message = ?`, message)
	} else {
		_, err = tx.ExecContext(ctx, `
			INSERT INTO remedies (message, remedy, created_ms)
			VALUES (?1, ?2, ?3)
			ON CONFLICT (message) DO UPDATE
			SET remedy = ?2,
				created_ms = ?3
			WHERE remedy <> ?2`, message, r, s.now().UnixMilli())
	}
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE repairs
		SET undone = ?
		WHERE message = ?`, r != history.SendRepaired, message)
	return err
}
