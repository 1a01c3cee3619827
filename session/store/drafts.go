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

// Draft is the text in the composer.
type Draft struct {
	Text  string         // the full text, with folded parts
	Folds []Fold         // the parts of the text that are shown folded, in the order of the text
	Parts []history.Part // the attachments without a path, in the order of their folds; prompts have none
}

func (d *Draft) columns() []column {
	return []column{
		{"text", (*blob)(&d.Text), secret},
		{"files", &folds{jsonColumn{&d.Folds}, d}, 0},
		{"parts", &jsonColumn{&d.Parts}, secret},
	}
}

// Hash returns a hash of the text and the folds. Equal drafts have equal hashes.
func (d Draft) Hash() [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%#v\x00%s", d.Folds, d.Text))
}

// folds scans the folds of a draft. If a stored fold does not fit the text, it drops all folds and keeps the text.
type folds struct {
	jsonColumn
	draft *Draft // the draft whose text the folds must fit
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

// cleanDraft removes secrets that must not be stored from a draft. If it changes the text, it drops the folds, whose
// positions no longer fit.
func (s *Store) cleanDraft(d Draft) Draft {
	if text := s.clean(d.Text); text != d.Text {
		d.Text, d.Folds = text, nil
	}
	return d
}

// Fold is a part of a draft that is shown in short form: a long paste or an attached file.
type Fold struct {
	From int    `json:"from"` // byte offset in the text; for a file From equals To
	To   int    `json:"to"`
	Path string `json:"path,omitempty"` // of the attached file, "" for a paste
}

// withoutUnnamed returns the draft without attachments that have no path. Only queued messages and unsent drafts can
// hold those.
func (d Draft) withoutUnnamed() Draft {
	unnamed := func(f Fold) bool { return f.From == f.To && f.Path == "" }
	return Draft{Text: d.Text, Folds: slices.DeleteFunc(slices.Clone(d.Folds), unnamed)}
}

// maxPrompts is the number of prompts that are kept.
const maxPrompts = 2000

// AddPrompt adds a sent draft to the prompt history. It replaces an equal prompt of the same session and drops the
// oldest prompts beyond the limit. An empty session stands for a chat that is not stored yet.
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

// Prompts returns the newest limit prompts, newest first. A negative limit returns all of them.
func (s *Store) Prompts(ctx context.Context, limit int) ([]Draft, error) {
	return inTx(ctx, s.view, "read the prompts", func(t *tx) []Draft {
		return readRows[Draft](t, "prompts ORDER BY id DESC LIMIT ?", limit)
	})
}

// SaveDraft stores the unsent draft of a session; an empty draft deletes it. An empty session stands for a chat that is
// not stored yet.
func (s *Store) SaveDraft(ctx context.Context, session string, d Draft) error {
	return s.saveFast(ctx, "save the draft", func(t *tx) { putDraft(t, draftKey(t, session), s.cleanDraft(d)) })
}

// putDraft replaces the draft of the session with key n, where 0 is a chat that is not stored yet.
func putDraft(t *tx, n int64, d Draft) {
	t.Exec(`DELETE FROM drafts WHERE session = ?`, n)
	if d.Text != "" || len(d.Folds) > 0 {
		t.put("INSERT INTO drafts", append(d.columns(), column{"session", n, 0}), "")
	}
}

// Draft returns the unsent draft of a session, or an empty one if there is none.
func (s *Store) Draft(ctx context.Context, session string) (Draft, error) {
	return inTx(ctx, s.view, "read the draft", func(t *tx) Draft {
		return first[Draft](t, "drafts WHERE session = ?", draftKey(t, session))
	})
}

// draftKey returns the key under which a session's draft is stored, 0 for a chat that is not stored yet.
func draftKey(t *tx, session string) int64 {
	if session == "" {
		return 0
	}
	return sessionKey(t, session)
}

// QueuedMessage is a finished message that waits until the current answer has ended.
type QueuedMessage struct {
	ID    int64          // 0 if it is not stored; messages are sent in ascending order of ID
	Text  string         // the text that is sent
	Parts []history.Part // the attachments that are sent with it
	Draft Draft          // what was in the composer, to edit the message again
	Alone bool           // it is sent without the messages before it
	Cut   bool           // it may be shortened if it does not fit
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

// Enqueue appends a message to a session's queue, deletes the session's draft, and returns the message with its ID set.
func (s *Store) Enqueue(ctx context.Context, session string, q QueuedMessage) (QueuedMessage, error) {
	return withSession(ctx, s.save, "save the queued message", session, func(t *tx, n int64) QueuedMessage {
		t.Exec(`DELETE FROM drafts WHERE session = ?`, n)
		q.Draft = s.cleanDraft(q.Draft)
		q.ID = putQueued(t, n, q)
		return q
	})
}

// putQueued appends a message to the queue of the session with key n and returns its id.
func putQueued(t *tx, n int64, q QueuedMessage) int64 {
	t.put("INSERT INTO queued", append(q.columns(), column{"session", n, 0}), "")
	return sqlite.QueryValue[int64](t, `SELECT last_insert_rowid()`)
}

// ReturnToDraft removes a message from a session's queue and makes it the session's draft. The error is ErrNotFound if
// it is no longer queued.
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
