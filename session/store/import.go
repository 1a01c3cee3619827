package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"winnow/history"
)

// DuplicateError says that a conversation was imported before.
type DuplicateError struct {
	Session Session // where it is
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the conversation is already here as session %s", e.Session.ID)
}

// Import stores a conversation from elsewhere as one branch of a new session, in one transaction:
// either all of it is there or nothing. fill adds the messages in order and then returns the
// session's row; its id and what the messages decide of it are set here, and its model becomes that of
// the answers. fill may run several times. Its error ends the import and
// comes back.
//
// Where the same messages with the same system prompt were imported before and are not in the trash,
// nothing is stored and the error is a *DuplicateError.
func (s *Store) Import(ctx context.Context, fill Filling) (Session, error) {
	return s.importing(ctx, fill, nil)
}

// Filling adds the messages of a conversation and returns its row.
type Filling func(add func(Message) error) (Session, error)

// TryImport says what Import would do, and does not do it. The session that it returns has no id.
func (s *Store) TryImport(ctx context.Context, fill Filling) (Session, error) {
	out, err := s.importing(ctx, fill, errTrial)
	if errors.Is(err, errTrial) {
		out.ID, err = "", nil
	}
	return out, err
}

// importing imports a conversation, and takes that back where end is not nil.
func (s *Store) importing(ctx context.Context, fill Filling, end error) (Session, error) {
	var out Session
	err := s.save(ctx, "import the conversation", func(tx *sql.Tx) error {
		n, err := s.addSession(ctx, tx, Session{})
		if err != nil {
			return err
		}
		in := intake{s: s, tx: tx, session: n}
		row, err := fill(func(m Message) error { return in.add(ctx, m) })
		if err != nil {
			return err
		}
		row.Title, row.System = s.clean(row.Title), s.clean(row.System)
		if in.messages == 0 {
			return errors.New("the conversation has no message")
		}
		if err := in.finish(ctx, row); err != nil {
			return err
		}
		if err := setTags(ctx, tx, n, row.Tags); err != nil {
			return err
		}
		if err := duplicateOf(ctx, tx, n, in.messages); err != nil {
			return err
		}
		if err := s.use(ctx, tx, n); err != nil {
			return err
		}
		if out, err = sessionByKey(ctx, tx, n); err != nil {
			return err
		}
		return end
	})
	return out, err
}

// intake is an import on its way: the session's key, and what its row will say of its messages.
type intake struct {
	s        *Store
	tx       *sql.Tx
	session  int64
	leaf     int64
	messages int
	turns    int
}

// add stores a message behind the one before it.
func (in *intake) add(ctx context.Context, m Message) error {
	if m.Status == history.Streaming {
		return errors.New("a message that is still arriving cannot be imported")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.Parent = in.leaf
	// The driver watches a context that can end with a goroutine for every statement. The transaction
	// has its own.
	id, err := insertAt(context.WithoutCancel(ctx), in.tx, in.session, in.messages+1, in.s.cleanMessage(m), "")
	if err != nil {
		return err
	}
	in.leaf = id
	in.messages++
	if m.Role == history.User {
		in.turns++
	}
	return nil
}

// finish writes the session's row. The model comes to the answers now, because a file may name it
// behind them.
func (in *intake) finish(ctx context.Context, row Session) error {
	if row.Model != "" {
		_, err := in.tx.ExecContext(ctx, `
			UPDATE messages
			SET model = ?
			WHERE session = ?
				AND role = 'assistant'
				AND model = ''`, row.Model, in.session)
		if err != nil {
			return err
		}
	}
	_, err := in.tx.ExecContext(ctx, `
		UPDATE sessions
		SET created_ms = iif(?2 = 0, created_ms, ?2),
			title = ?3,
			title_from = ?4,
			preset = ?5,
			overrides = ?6,
			system = ?7,
			dir = ?8,
			messages = ?9,
			turns = ?10,
			leaf = ?11
		WHERE n = ?1`, in.session, ms(row.Created), row.Title, row.TitleFrom, row.Preset, row.Overrides, row.System,
		row.Dir, in.messages, in.turns, in.leaf)
	return err
}

// duplicateOf returns a *DuplicateError where another session was imported from the same messages as
// session n, however it went on since. Times are not compared: a file without them gets others each
// time. The first message alone tells nearly all sessions apart.
func duplicateOf(ctx context.Context, tx *sql.Tx, n int64, messages int) error {
	var twin int64
	err := tx.QueryRowContext(ctx, `
		SELECT s.n
		FROM sessions mine
		JOIN messages first ON first.session = mine.n AND first.seq = 1
		JOIN sessions s ON s.n <> mine.n AND s.deleted_ms = 0 AND s.system = mine.system AND s.messages >= ?2
		JOIN messages m ON m.session = s.n AND m.seq = 1 AND m.hash = first.hash
		WHERE mine.n = ?1
			AND ?2 = (
				SELECT count(*)
				FROM messages x
				WHERE x.session = s.n
					AND x.status IN ('imported', 'quarantined')
			)
			AND NOT EXISTS (
				SELECT 1
				FROM messages x
				JOIN messages y ON y.session = mine.n AND y.seq = x.seq
				WHERE x.session = s.n
					AND x.status IN ('imported', 'quarantined')
					AND x.hash <> y.hash
			)
		ORDER BY s.used DESC
		LIMIT 1`, n, messages).Scan(&twin)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	there, err := sessionByKey(ctx, tx, twin)
	if err != nil {
		return err
	}
	return &DuplicateError{there}
}
