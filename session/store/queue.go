package store

import (
	"context"
	"database/sql"

	"winnow/history"
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

func (q *Queued) columns() []column {
	return []column{
		{"id", &q.ID, given},
		{"text", (*blob)(&q.Text), secret},
		{"parts", &asJSON{&q.Parts}, secret},
		{"draft", (*blob)(&q.Draft.Text), secret},
		{"folds", &asJSON{&q.Draft.Folds}, 0},
		{"alone", &q.Alone, 0},
		{"cut", &q.Cut, 0},
	}
}

// Queue returns the queued messages of a session in the order in which they are sent.
func (s *Store) Queue(ctx context.Context, session string) ([]Queued, error) {
	return withSession(ctx, s.view, "read the queue", session, func(t *tx, n int64) []Queued {
		all := readRows[Queued](t, "queued WHERE session = ? ORDER BY id", n)
		for i := range all {
			all[i].Draft = all[i].Draft.checked()
		}
		return all
	})
}

// Enqueue adds a message to the end of a session's queue, and empties the session's draft, which the message was. It
// returns the message with its id.
func (s *Store) Enqueue(ctx context.Context, session string, q Queued) (Queued, error) {
	return withSession(ctx, s.save, "save the queued message", session, func(t *tx, n int64) Queued {
		t.exec(`DELETE FROM drafts WHERE session = ?`, n)
		stored := q
		stored.Draft = s.cleanDraft(q.Draft)
		t.insert("queued", stored.columns(), sql.Named("session", n))
		q.ID = value[int64](t, `SELECT last_insert_rowid()`)
		return q
	})
}

// Unqueue removes a message from a session's queue without sending it, and keeps it as the session's draft where keep
// says so. It returns ErrNotFound for one that is not in the queue any more.
func (s *Store) Unqueue(ctx context.Context, session string, id int64, keep bool) error {
	return s.save(ctx, "take the message from the queue", func(t *tx) {
		n := sessionKey(t, session)
		all := readRows[Queued](t, "queued WHERE session = ? AND id = ?", n, id)
		if len(all) == 0 {
			t.missing("take the message from the queue")
		} else if keep {
			putDraft(t, n, all[0].Draft.checked().withoutUnnamed())
		}
		dequeue(t, n, id)
	})
}

// dequeue removes a message from the queue of the session with this key.
func dequeue(t *tx, session, id int64) {
	t.exec(`DELETE FROM queued WHERE session = ? AND id = ?`, session, id)
}
