package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Begin stores a new session with its first message. A session without a message is never on disk.
// An empty session id gets a new one. The draft of the chat that had not begun is emptied with it.
func (s *Store) Begin(ctx context.Context, in Session, first Message) (Session, Message, error) {
	if in.ID == "" {
		in.ID = newID()
	}
	var session Session
	first.Session, first.Parent = in.ID, 0
	message, err := inTx(ctx, s.save, "begin the session", func(tx *sql.Tx) (Message, error) {
		n, err := s.addSession(ctx, tx, in)
		if err != nil {
			return Message{}, err
		}
		if err := execute(ctx, tx, `DELETE FROM drafts WHERE session = 0`); err != nil {
			return Message{}, err
		}
		message, err := s.append(ctx, tx, first, "")
		if err != nil {
			return Message{}, err
		}
		session, err = sessionByKey(ctx, tx, n)
		return message, err
	})
	return session, message, err
}

// Append stores a message behind its parent and makes it the session's leaf. With a parent that
// already has a message behind it, it begins a new branch. It sets ID, Seq and CreatedMS where that
// is 0; an empty status is complete. A user's message empties the session's draft; one that was queued leaves the queue
// instead.
func (s *Store) Append(ctx context.Context, m Message) (Message, error) {
	if m.Status == history.Streaming {
		return Message{}, errors.New("save the message: one that is still arriving is stored by StartAnswer")
	}
	return inTx(ctx, s.save, "save the message", func(tx *sql.Tx) (Message, error) { return s.append(ctx, tx, m, "") })
}

func (s *Store) append(ctx context.Context, tx *sql.Tx, m Message, owner string) (Message, error) {
	m = s.cleanMessage(m)
	n, err := sessionKey(ctx, tx, m.Session)
	if err != nil {
		return Message{}, err
	}
	if err := inSession(ctx, tx, n, m.Parent); err != nil {
		return Message{}, err
	}
	if m.Status == "" {
		m.Status = history.Complete
	}
	if m.CreatedMS == 0 {
		m.CreatedMS = s.now().UnixMilli()
	}
	if m.ID, err = s.newID(ctx, tx); err != nil {
		return Message{}, err
	}
	if m.Seq, err = insertMessage(ctx, tx, n, m, owner); err != nil {
		return Message{}, err
	}
	turn := m.Role == history.User
	err = execute(ctx, tx, `
		UPDATE sessions
		SET changes = changes + 1,
			messages = messages + 1,
			turns = turns + ?,
			leaf = ?
		WHERE n = ?`, turn, m.ID, n)
	if err != nil {
		return Message{}, err
	}
	switch {
	case turn && m.Queued != 0: // the draft is the message after it
		if err := dequeue(ctx, tx, n, m.Queued); err != nil {
			return Message{}, err
		}
		m.Queued = 0
	case turn:
		if err := execute(ctx, tx, `DELETE FROM drafts WHERE session = ?`, n); err != nil {
			return Message{}, err
		}
	}
	err = tx.QueryRowContext(ctx, `
		SELECT count(*)
		FROM messages
		WHERE session = ?
			AND parent = ?`, n, m.Parent).Scan(&m.Siblings)
	m.Sibling = m.Siblings
	m.Damaged = false
	m.readExtra()
	if err != nil {
		return Message{}, err
	}
	return m, s.use(ctx, tx, n)
}

// inSession returns ErrNotFound where a message is not one of the session's. 0 is none and fits
// everywhere.
func inSession(ctx context.Context, tx *sql.Tx, n, message int64) error {
	if message == 0 {
		return nil
	}
	err := tx.QueryRowContext(ctx, `
		SELECT id
		FROM messages
		WHERE id = ?
			AND session = ?`, message, n).Scan(&message)
	return found(fmt.Sprintf("find message %d in its session", message), err)
}

// insertMessage writes a message with its calls and parts to the end of a session and returns its place.
func insertMessage(ctx context.Context, tx *sql.Tx, n int64, m Message, owner string) (seq int, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT coalesce(max(seq), 0) + 1
		FROM messages
		WHERE session = ?`, n).Scan(&seq)
	if err != nil {
		return 0, err
	}
	return seq, insertAt(ctx, tx, n, seq, m, owner)
}

// insertAt writes a message with its calls and parts to a place of a session. Where it is whole, its words go to the
// index.
func insertAt(ctx context.Context, tx *sql.Tx, n int64, seq int, m Message, owner string) error {
	attachments, hashes, err := attach(ctx, tx, m.Parts)
	if err != nil {
		return err
	}
	m.Seq = seq
	r := rowOf(n, m, hashes)
	if _, err := sqlite.InsertRow(ctx, tx, "messages", r, sql.Named("owner", owner)); err != nil {
		return err
	}
	return insertContent(ctx, tx, m.ID, m, r, attachments)
}

// insertContent writes the calls and parts of a message, whose bytes are stored, and where it is whole its words.
func insertContent(ctx context.Context, tx *sql.Tx, id int64, m Message, r messageRow, attachments []int64) error {
	if err := insertCallsAndParts(ctx, tx, id, r.MessageLine, attachments); err != nil || m.Status == history.Streaming {
		return err
	}
	return index(ctx, tx, id, m.Message)
}

// Message returns one message by its id, or ErrNotFound.
func (s *Store) Message(ctx context.Context, id int64) (Message, error) {
	return inTx(ctx, s.view, "read the message", func(tx *sql.Tx) (Message, error) { return message(ctx, tx, id) })
}

func message(ctx context.Context, tx *sql.Tx, id int64) (Message, error) {
	rows, err := rowsWhere(ctx, tx, `m.id = ?`, id)
	if err == nil && len(rows) == 0 {
		err = sql.ErrNoRows
	}
	var session string
	if err == nil {
		err = tx.QueryRowContext(ctx, `
			SELECT id
			FROM sessions
			WHERE n = ?`, rows[0].key).Scan(&session)
	}
	if err != nil {
		return Message{}, found(fmt.Sprintf("find message %d", id), err)
	}
	all, err := complete(ctx, tx, session, rows)
	if err != nil {
		return Message{}, err
	}
	return all[0], nil
}

// SetFault keeps why a turn failed behind a message, as Message.Fault. It changes nothing that was said. The error is
// ErrNotFound where the message is gone.
func (s *Store) SetFault(ctx context.Context, message int64, fault string) error {
	return s.jot(ctx, "record why the turn failed", func(tx *sql.Tx) error {
		n, err := sqlite.Update(ctx, tx, "messages", []sql.NamedArg{sql.Named("fault", s.clean(fault))}, sql.Named("id", message))
		if err == nil && n == 0 {
			err = &sqlite.Error{Doing: fmt.Sprintf("find message %d", message), Kind: ErrNotFound}
		}
		if err != nil {
			return err
		}
		session, err := sessionHolding(ctx, tx, message)
		if err != nil {
			return err
		}
		return s.setRegister(ctx, tx, session, message, faultValue)
	})
}

// SetTokens caches what a tokenizer counted, by message. It changes nothing that was said. Answers
// that still arrive are left alone, and so are messages that are gone.
func (s *Store) SetTokens(ctx context.Context, tokenizer string, counts map[int64]int) error {
	// In the order of the ids neighbours in the file are written together.
	ids := slices.SortedFunc(maps.Keys(counts), cmp.Compare[int64])
	return s.jot(ctx, "keep the token counts", func(tx *sql.Tx) error {
		set, err := tx.PrepareContext(ctx, `
			UPDATE messages
			SET tokens = ?,
				tokenizer = ?
			WHERE id = ?
				AND status <> ?`)
		if err != nil {
			return err
		}
		defer set.Close()
		for _, id := range ids {
			if _, err := set.ExecContext(ctx, counts[id], tokenizer, id, history.Streaming); err != nil {
				return err
			}
		}
		return nil
	})
}
