package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Queued is a message that the user has finished and that waits until the answer before it is there.
type Queued struct {
	ID    int64          // 0 for one that is not on disk; one with a higher id is sent later
	Text  string         // as it is sent
	Parts []history.Part // the files that are sent with it
	Draft Draft          // as it was in the composer, where it can be taken back to
	Alone bool           // it is sent without the conversation before it
	Cut   bool           // it is sent cut if it does not fit whole
}

// queuedRow is a queued message with its key.
type queuedRow struct {
	ID int64 `db:"id"`
	QueuedLine
}

// Queue returns the queued messages of a session in the order in which they are sent.
func (s *Store) Queue(ctx context.Context, session string) ([]Queued, error) {
	return inTx(ctx, s.view, "read the queue", func(tx *sql.Tx) ([]Queued, error) {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return nil, err
		}
		var out []Queued
		err = sqlite.EachRow(ctx, tx, "queued WHERE session = ? ORDER BY id", func(row *queuedRow) error {
			out = append(out, row.queued())
			return nil
		}, n)
		return out, err
	})
}

// Enqueue adds a message to the end of a session's queue, and empties the session's draft, which the message was. It
// returns the message with its id.
func (s *Store) Enqueue(ctx context.Context, session string, q Queued) (Queued, error) {
	line, err := s.queuedLine(q)
	if err != nil {
		return Queued{}, err
	}
	q.ID, err = inTx(ctx, s.save, "save the queued message", func(tx *sql.Tx) (int64, error) {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return 0, err
		}
		if err := execute(ctx, tx, `DELETE FROM drafts WHERE session = ?`, n); err != nil {
			return 0, err
		}
		return sqlite.InsertRow(ctx, tx, "queued", line, sql.Named("session", n))
	})
	return q, err
}

// unnamed reports whether a fold is a file without a path, which a queued message and an unsent draft can hold.
func (f Fold) unnamed() bool { return f.From == f.To && f.Path == "" }

// Unqueue removes a message from a session's queue without sending it, and keeps it as the session's draft where keep
// says so. It returns ErrNotFound for one that is not in the queue any more.
func (s *Store) Unqueue(ctx context.Context, session string, id int64, keep bool) error {
	return s.save(ctx, "take the message from the queue", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		var row *queuedRow
		err = sqlite.EachRow(ctx, tx, "queued WHERE session = ? AND id = ?", func(r *queuedRow) error { row = r; return nil }, n, id)
		switch {
		case err != nil:
			return err
		case row == nil:
			return found("take the message from the queue", sql.ErrNoRows)
		}
		if keep {
			folds := slices.DeleteFunc(row.queued().Draft.Folds, Fold.unnamed)
			err := sqlite.Upsert(ctx, tx, "drafts", "session",
				sql.Named("session", n),
				sql.Named("updated_ms", s.now().UnixMilli()),
				sql.Named("text", []byte(row.Draft)),
				sql.Named("files", folded(folds)))
			if err != nil {
				return err
			}
		}
		return dequeue(ctx, tx, n, id)
	})
}

// dequeue removes a message from the queue of the session with this key.
func dequeue(ctx context.Context, tx *sql.Tx, session, id int64) error {
	return execute(ctx, tx, `DELETE FROM queued WHERE session = ? AND id = ?`, session, id)
}

// queuedLine is the row of a queued message, without the secrets that must not be stored.
func (s *Store) queuedLine(q Queued) (QueuedLine, error) {
	m := s.cleanMessage(Message{Message: history.Message{Content: q.Text, Parts: q.Parts}})
	draft, folds := s.cleanDraft(q.Draft.Text, q.Draft.Folds)
	parts, err := json.Marshal(m.Parts)
	if err != nil {
		return QueuedLine{}, fmt.Errorf("write the files of the queued message: %w", err)
	}
	return QueuedLine{
		Created: s.now().UnixMilli(), Text: Text(m.Content), Parts: Text(parts),
		Draft: Text(draft), Folds: Text(folded(folds)), Alone: q.Alone, Cut: q.Cut,
	}, nil
}

// queued is the message of a row. Files that cannot be read are left out: the text matters more.
func (r *queuedRow) queued() Queued {
	q := Queued{ID: r.ID, Text: string(r.Text), Draft: draftOf(string(r.Draft), string(r.Folds)), Alone: r.Alone, Cut: r.Cut}
	if json.Unmarshal([]byte(r.Parts), &q.Parts) != nil {
		q.Parts = nil
	}
	return q
}

// queuedLines are the queued messages of a session as an archive has them.
func queuedLines(ctx context.Context, tx *sql.Tx, session int64) ([]QueuedLine, error) {
	return sqlite.Rows[QueuedLine](ctx, tx, "queued WHERE session = ? ORDER BY id", session)
}
