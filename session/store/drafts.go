package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Draft is a text as it is in the composer.
type Draft struct {
	Text  string         // in full
	Folds []Fold         // what of it is shown as one thing, in the order of the text
	Parts []history.Part // the files that have no path, in the order of their folds; prompts have none
}

func (d *Draft) columns() []column {
	return []column{
		{"text", (*blob)(&d.Text), secret},
		{"files", &folds{jsonColumn{&d.Folds}, d}, 0},
		{"parts", &jsonColumn{&d.Parts}, secret},
	}
}

// Hash identifies a draft: equal drafts have equal hashes.
func (d Draft) Hash() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%#v\x00%s", d.Folds, d.Text))
}

// folds are the folds of a draft. All are left out where the text has no place for one that is stored: it matters more.
type folds struct {
	jsonColumn
	draft *Draft // with its text
}

func (f *folds) Scan(v any) error {
	err, at := f.jsonColumn.Scan(v), 0
	for _, fold := range f.draft.Folds {
		if fold.From < at || fold.To < fold.From || fold.To > len(f.draft.Text) {
			f.draft.Folds = nil
			break
		}
		at = fold.To
	}
	return err
}

// cleanDraft is a draft without the secrets that must not be stored. Where its text had some, it stands unfolded.
func (s *Store) cleanDraft(d Draft) Draft {
	if text := s.clean(d.Text); text != d.Text {
		d.Text, d.Folds = text, nil
	}
	return d
}

// Fold is what a draft shows as one thing: a long paste, or a file that hangs on the draft.
type Fold struct {
	From int    `json:"from"` // bytes of the text; a file is none of them, and From is To
	To   int    `json:"to"`
	Path string `json:"path,omitempty"` // of a file, "" for a paste
}

// withoutUnnamed is a draft without the files that have no path, which a queued message and an unsent draft can hold.
func (d Draft) withoutUnnamed() Draft {
	unnamed := func(f Fold) bool { return f.From == f.To && f.Path == "" }
	return Draft{Text: d.Text, Folds: slices.DeleteFunc(slices.Clone(d.Folds), unnamed)}
}

// maxPrompts is how many prompts the history of prompts keeps.
const maxPrompts = 2000

// AddPrompt adds what was sent in a session to the history of prompts, where it takes the place of an equal one of the
// session, and of the oldest beyond the limit. An empty session is the chat that has not begun.
func (s *Store) AddPrompt(ctx context.Context, session string, d Draft) error {
	d = s.cleanDraft(d.withoutUnnamed())
	return s.saveFast(ctx, "save the prompt", func(t *tx) {
		n := sql.NullInt64{Int64: draftKey(t, session), Valid: session != ""}
		t.Exec(`
			DELETE FROM prompts
			WHERE text = ?1 AND files IS ?2 AND session IS ?3
				OR id NOT IN (SELECT id FROM prompts ORDER BY id DESC LIMIT ?4)`,
			(*blob)(&d.Text), &jsonColumn{d.Folds}, n, maxPrompts-1)
		t.put("INSERT INTO prompts", append(d.columns(), column{"session", n, 0}), "")
	})
}

// Prompts returns the newest limit prompts, the newest first.
func (s *Store) Prompts(ctx context.Context, limit int) ([]Draft, error) {
	return inTx(ctx, s.view, "read the prompts", func(t *tx) []Draft {
		return readRows[Draft](t, "prompts ORDER BY id DESC LIMIT ?", limit)
	})
}

// SaveDraft keeps what is unsent in a session's composer; "" without a file empties it. An empty
// session is the chat that has not begun.
func (s *Store) SaveDraft(ctx context.Context, session string, d Draft) error {
	return s.saveFast(ctx, "keep the draft", func(t *tx) { putDraft(t, draftKey(t, session), s.cleanDraft(d)) })
}

// putDraft replaces the draft of the session with this key.
func putDraft(t *tx, n int64, d Draft) {
	t.Exec(`DELETE FROM drafts WHERE session = ?`, n)
	if d.Text != "" || len(d.Folds) > 0 {
		t.put("INSERT INTO drafts", append(d.columns(), column{"session", n, 0}), "")
	}
}

// Draft returns what is unsent in a session's composer, with no text for nothing.
func (s *Store) Draft(ctx context.Context, session string) (Draft, error) {
	return inTx(ctx, s.view, "read the draft", func(t *tx) Draft {
		return first[Draft](t, "drafts WHERE session = ?", draftKey(t, session))
	})
}

// draftKey is the key of the session of a draft, 0 for that of the chat that has not begun.
func draftKey(t *tx, session string) int64 {
	if session == "" {
		return 0
	}
	return sessionKey(t, session)
}

// QueuedMessage is a message that the user has finished and that waits until the answer before it is there.
type QueuedMessage struct {
	ID    int64          // 0 for one that is not on disk; one with a higher id is sent later
	Text  string         // as it is sent
	Parts []history.Part // the files that are sent with it
	Draft Draft          // as it was in the composer, where it can be taken back to
	Alone bool           // it is sent without the conversation before it
	Cut   bool           // it is sent cut if it does not fit whole
}

func (q *QueuedMessage) columns() []column {
	return []column{
		{"id", &q.ID, generated},
		{"text", (*blob)(&q.Text), secret},
		{"parts", &jsonColumn{&q.Parts}, secret},
		{"draft", (*blob)(&q.Draft.Text), secret},
		{"folds", &folds{jsonColumn{&q.Draft.Folds}, &q.Draft}, 0},
		{"alone", &q.Alone, 0},
		{"cut", &q.Cut, 0},
	}
}

// Queue returns the queued messages of a session in the order in which they are sent.
func (s *Store) Queue(ctx context.Context, session string) ([]QueuedMessage, error) {
	return withSession(ctx, s.view, "read the queue", session, func(t *tx, n int64) []QueuedMessage {
		return readRows[QueuedMessage](t, "queued WHERE session = ? ORDER BY id", n)
	})
}

// Enqueue adds a message to the end of a session's queue, and empties the session's draft, which the message was. It
// returns the message with its id.
func (s *Store) Enqueue(ctx context.Context, session string, q QueuedMessage) (QueuedMessage, error) {
	return withSession(ctx, s.save, "save the queued message", session, func(t *tx, n int64) QueuedMessage {
		t.Exec(`DELETE FROM drafts WHERE session = ?`, n)
		q.Draft = s.cleanDraft(q.Draft)
		q.ID = putQueued(t, n, q)
		return q
	})
}

// putQueued adds a message to the queue of the session with this key, and returns its id.
func putQueued(t *tx, n int64, q QueuedMessage) int64 {
	t.put("INSERT INTO queued", append(q.columns(), column{"session", n, 0}), "")
	return sqlite.Value[int64](t, `SELECT last_insert_rowid()`)
}

// ReturnToDraft removes a message from a session's queue without sending it, and keeps it as the session's draft. It returns
// ErrNotFound for one that is not in the queue any more.
func (s *Store) ReturnToDraft(ctx context.Context, session string, id int64) error {
	return s.save(ctx, "take the message from the queue", func(t *tx) {
		n := sessionKey(t, session)
		q := first[QueuedMessage](t, "queued WHERE session = ? AND id = ?", n, id)
		if q.ID == 0 {
			t.notFound("take the message from the queue")
		}
		putDraft(t, n, q.Draft.withoutUnnamed())
		dequeue(t, n, id)
	})
}

// dequeue removes a message from the queue of the session with this key.
func dequeue(t *tx, session, id int64) {
	t.Exec(`DELETE FROM queued WHERE session = ? AND id = ?`, session, id)
}
