package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"winnow/history"
)

// Begin stores a new session with its first message. A session without a message is never on disk.
// An empty session id gets a new one. The draft of the chat that had not begun is emptied with it.
func (s *Store) Begin(ctx context.Context, in Session, first Message) (Session, Message, error) {
	var session Session
	var message Message
	err := s.save(ctx, "begin the session", func(tx *sql.Tx) error {
		n, err := s.addSession(ctx, tx, in)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM drafts WHERE session = 0`); err != nil {
			return err
		}
		session, err = sessionByKey(ctx, tx, n)
		if err != nil {
			return err
		}
		first := first
		first.Session, first.Parent = session.ID, 0
		if message, err = s.append(ctx, tx, first, ""); err != nil {
			return err
		}
		session, err = sessionByKey(ctx, tx, n)
		return err
	})
	return session, message, err
}

// Append stores a message behind its parent and makes it the session's leaf. With a parent that
// already has a message behind it, it begins a new branch. It sets ID, Seq and CreatedMS where that
// is 0; an empty status is complete. A user's message empties the session's draft.
func (s *Store) Append(ctx context.Context, m Message) (Message, error) {
	if m.Status == history.Streaming {
		return Message{}, errors.New("save the message: one that is still arriving is stored by StartAnswer")
	}
	var out Message
	err := s.save(ctx, "save the message", func(tx *sql.Tx) error {
		var err error
		out, err = s.append(ctx, tx, m, "")
		return err
	})
	return out, err
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
	if m.ID, m.Seq, err = insertMessage(ctx, tx, n, m, owner); err != nil {
		return Message{}, err
	}
	turn := m.Role == history.User
	_, err = tx.ExecContext(ctx, `
		UPDATE sessions
		SET messages = messages + 1,
			turns = turns + ?,
			leaf = ?
		WHERE n = ?`, turn, m.ID, n)
	if err != nil {
		return Message{}, err
	}
	if turn {
		if _, err := tx.ExecContext(ctx, `DELETE FROM drafts WHERE session = ?`, n); err != nil {
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
	m.bring()
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
	var one int
	err := tx.QueryRowContext(ctx, `
		SELECT 1
		FROM messages
		WHERE id = ?
			AND session = ?`, message, n).Scan(&one)
	return found(fmt.Sprintf("find message %d in its session", message), err)
}

// insertMessage writes a message with its calls and parts to the end of a session and returns its id
// and place.
func insertMessage(ctx context.Context, tx *sql.Tx, n int64, m Message, owner string) (id int64, seq int, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT coalesce(max(seq), 0) + 1
		FROM messages
		WHERE session = ?`, n).Scan(&seq)
	if err != nil {
		return 0, 0, err
	}
	id, err = insertAt(ctx, tx, n, seq, m, owner)
	return id, seq, err
}

// insertAt writes a message with its calls and parts to a place of a session and returns its id. Where it
// is whole, its words go to the index.
func insertAt(ctx context.Context, tx *sql.Tx, n int64, seq int, m Message, owner string) (int64, error) {
	id, err := insertUnfound(ctx, tx, n, seq, m, owner)
	if err != nil || m.Status == history.Streaming {
		return id, err
	}
	return id, index(ctx, tx, id, m.Message)
}

// insertUnfound is insertAt without the index.
func insertUnfound(ctx context.Context, tx *sql.Tx, n int64, seq int, m Message, owner string) (int64, error) {
	attachments, hashes, err := attach(ctx, tx, m.Parts)
	if err != nil {
		return 0, err
	}
	result, err := tx.ExecContext(ctx, `
		INSERT INTO messages (
			session, seq, parent, role, status, created_ms, calls, parts, tokens, tokenizer, request, owner,
			endpoint, model, finish_reason, label, name, tool_call_id, hash, extra, reasoning, content, alone
		) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		n, seq, m.Parent, m.Role, m.Status, m.CreatedMS, len(m.ToolCalls), len(m.Parts), m.Tokens, m.Tokenizer,
		m.Request, owner, m.Endpoint, m.Model, m.FinishReason, m.Label, []byte(m.Name), []byte(m.ToolCallID),
		fingerprint(m, hashes), nothing(m.Extra), []byte(m.Reasoning), []byte(m.Content), m.Alone)
	if err != nil {
		return 0, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	if err := insertParts(ctx, tx, id, m.Parts, attachments); err != nil {
		return 0, err
	}
	return id, insertCalls(ctx, tx, id, m.ToolCalls)
}

// nothing makes an empty value NULL.
func nothing(text []byte) any {
	if len(text) == 0 {
		return nil
	}
	return text
}

// Message returns one message by its id, or ErrNotFound.
func (s *Store) Message(ctx context.Context, id int64) (Message, error) {
	var out Message
	err := s.view(ctx, "read the message", func(tx *sql.Tx) error {
		var err error
		out, err = message(ctx, tx, id)
		return err
	})
	return out, err
}

func message(ctx context.Context, tx *sql.Tx, id int64) (Message, error) {
	what := fmt.Sprintf("find message %d", id)
	r, err := newScan().next(tx.QueryRowContext(ctx, `
		SELECT`+messageColumns+`
		FROM messages m
		WHERE m.id = ?`, id).Scan)
	if err != nil {
		return Message{}, found(what, err)
	}
	var session string
	err = tx.QueryRowContext(ctx, `
		SELECT id
		FROM sessions
		WHERE n = ?`, r.key).Scan(&session)
	if err != nil {
		return Message{}, found(what, err)
	}
	all, err := complete(ctx, tx, session, []row{r})
	if err != nil {
		return Message{}, err
	}
	return all[0], nil
}
