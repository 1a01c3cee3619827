package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Flags returns what the user decided about the messages of a session, by message.
func (s *Store) Flags(ctx context.Context, session string) (map[int64]history.Flag, error) {
	return decisions[history.Flag](ctx, s, "read the flags", session, "flags", "flag")
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
	return inTx(ctx, s.save, "flag the messages", func(tx *sql.Tx) (map[int64]history.Flag, error) {
		before := map[int64]history.Flag{}
		for message, flag := range flags {
			was, err := flagOf(ctx, tx, message)
			if err != nil {
				return nil, err
			}
			if was == flag {
				continue
			}
			before[message] = was
			if err := s.setFlag(ctx, tx, message, flag); err != nil {
				return nil, err
			}
		}
		return before, nil
	})
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
	err := execute(ctx, tx, `DELETE FROM flags WHERE message = ?`, message)
	if err == nil && flag != "" {
		err = execute(ctx, tx, `INSERT INTO flags (message, flag, created_ms) VALUES (?, ?, ?)`, message, flag, s.now().UnixMilli())
	}
	if err != nil {
		return err
	}
	return s.setDecision(ctx, tx, message, flagValue)
}

// setDecision is setRegisters for what was decided about a message.
func (s *Store) setDecision(ctx context.Context, tx *sql.Tx, message int64, name string) error {
	session, err := sessionHolding(ctx, tx, message)
	if err != nil {
		return err
	}
	if err := s.setRegister(ctx, tx, session, message, name); err != nil {
		return err
	}
	return raiseChanges(ctx, tx, session)
}

// Remedies returns what the user had sent in place of the damaged messages of a session, by message.
// Messages whose repair is sent are not among them.
func (s *Store) Remedies(ctx context.Context, session string) (map[int64]history.Remedy, error) {
	return decisions[history.Remedy](ctx, s, "read the remedies", session, "remedies", "remedy")
}

// SetRemedies keeps a remedy for some messages, or for none of them where one is not there; history.SendRepaired
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
	err := tx.QueryRowContext(ctx, `SELECT id FROM messages WHERE id = ?`, message).Scan(&message)
	if err != nil {
		return found(fmt.Sprintf("find message %d", message), err)
	}
	if r == history.SendRepaired {
		err = execute(ctx, tx, `DELETE FROM remedies WHERE message = ?`, message)
	} else {
		err = execute(ctx, tx, `
			INSERT INTO remedies (message, remedy, created_ms)
			VALUES (?1, ?2, ?3)
			ON CONFLICT (message) DO UPDATE
			SET remedy = ?2,
				created_ms = ?3
			WHERE remedy <> ?2`, message, r, s.now().UnixMilli())
	}
	if err == nil {
		err = s.setDecision(ctx, tx, message, remedyValue)
	}
	if err != nil {
		return err
	}
	return execute(ctx, tx, `
		UPDATE repairs
		SET undone = ?
		WHERE message = ?`, r != history.SendRepaired, message)
}

// decisions reads what the user decided about messages of a session, by message, out of a column of a table.
func decisions[T ~string](ctx context.Context, s *Store, doing, session, table, column string) (map[int64]T, error) {
	return withSession(ctx, s.view, doing, session, func(tx *sql.Tx, n int64) (map[int64]T, error) {
		decided := map[int64]T{}
		err := sqlite.Each(ctx, tx, func(scan func(...any) error) error {
			var message int64
			var decision T
			err := scan(&message, &decision)
			decided[message] = decision
			return err
		}, fmt.Sprintf("SELECT message, %s FROM %s WHERE %s", column, table, ofSession), n)
		return decided, err
	})
}
