package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mattn/go-sqlite3"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// SearchQuery says what to look for in the messages.
type SearchQuery struct {
	Text    string // as it is typed, see Store.Search
	Session string // the whole id of the only session to look in, "" for all
	Trash   bool   // in the trash as well
	Limit   int    // how many hits at most, 0 for 50

	// Hide takes the secrets out of a text before a snippet is cut from it; nil takes none.
	Hide func(text string) string
}

// SearchHit is a message that was found.
type SearchHit struct {
	Session Session
	Message int64
	Role    history.Role
	Model   string    // of an answer: who wrote it
	At      time.Time // when it was said
	Snippet string    // one line of it around what was found, without control characters
	Marks   [][2]int  // what was found in Snippet: byte ranges in order that do not touch
	Hidden  bool      `json:"-"` // Search.Hide took something out of the text around Snippet
}

// SearchQuery finds the messages of every branch that have all words of a text, the newest first. Case, accents and the
// several ways to write a character make no difference, and scripts without spaces are found in the middle of a line.
// The last word may be unfinished from its third letter on, unless something is typed behind it; words in double quotes
// are side by side. Every text is a query, and one without a word finds nothing.
//
// What is not in the index yet is not found, see Unindexed. A damaged message is not found either.
func (s *Store) Search(ctx context.Context, in SearchQuery) ([]SearchHit, error) {
	q := search.Parse(in.Text)
	if len(q) == 0 {
		return nil, nil
	}
	if in.Limit <= 0 {
		in.Limit = 50
	}
	hits, err := inTx(ctx, s.view, "search the messages", func(t *tx) []SearchHit { return in.find(t, q) })
	if indexDamaged(err) && !s.readOnly {
		// What is indexed anew by the time of the next search is found then.
		return nil, s.saveFast(ctx, "make the search index anew", renewIndex)
	}
	return hits, err
}

// find reads the newest messages that the index finds, in the sessions to look in. One that is damaged, or that the
// index is wrong about, is no hit.
func (in SearchQuery) find(t *tx, q search.Query) (hits []SearchHit) {
	// CROSS JOIN has SQLite ask the index first: it finds the newest first, and no more than are wanted.
	found := sqlite.List[int64](t, `
		SELECT f.docid
		FROM found f
		CROSS JOIN messages m ON m.id = f.docid
		CROSS JOIN sessions s ON s.n = m.session
		WHERE f.found MATCH ?1
			AND (?2 = '' OR s.id = ?2)
			AND (s.deleted_ms = 0 OR ?3)
		ORDER BY f.docid DESC
		LIMIT ?4`, q.MatchExpression(), in.Session, in.Trash, in.Limit)
	for _, m := range slices.Backward(readMessages(t, false, "id"+inArray, sqlite.JSONArray(found))) {
		text := m.SearchText()
		if _, found := q.Find(text); !found || m.Damaged {
			continue
		}
		text = q.SnippetContext(text)
		shown := text
		if in.Hide != nil {
			shown = in.Hide(text)
		}
		h := SearchHit{
			Hidden:  shown != text,
			Session: readSession(t, m.session), Message: m.ID, Role: m.Role, Model: m.Model, At: timeOf(m.CreatedMS),
		}
		h.Snippet, h.Marks = q.Snippet(shown)
		hits = append(hits, h)
	}
	return hits
}

// Marks are the places in a text that a search finds: byte ranges in order that do not touch.
func (in SearchQuery) Marks(text string) [][2]int {
	marks, _ := search.Parse(in.Text).Find(text)
	return marks
}

// SearchText is all of a message that a search looks in: its text, its tool calls and its files.
func (m Message) SearchText() string { return search.MessageText(m.Message) }

// The table found has the words of every message that is whole, and gets and loses them in the transaction that writes
// or removes the message. It keeps no copy of the text. What came in too great a number to wait for is in the backlog,
// the view unfound, and is indexed in short steps. The messages do not depend on the index: where it is damaged, a new
// one is made and all of them are in the backlog.

// index adds the words of a message to the index, where they are not in it yet. One that is damaged has no words, and
// one that still arrives gets them when it is whole.
func (m *Message) index(t *tx) {
	if m.Status == history.Streaming || indexed(t, m.ID) {
		return
	}
	words := ""
	if !m.Damaged {
		words = search.IndexText(m.SearchText())
	}
	// No INSERT with SELECT: FTS4 would write a segment for each.
	t.Exec(`INSERT INTO found (docid, text) VALUES (?, ?)`, m.ID, words)
}

// indexed reports whether the words of a message are in the index.
func indexed(t *tx, id int64) bool {
	return sqlite.Value[bool](t, `SELECT EXISTS (SELECT 1 FROM found_docsize WHERE docid = ?)`, id)
}

// indexStored adds the words of these stored messages to the index.
func indexStored(t *tx, ids []int64) {
	for _, m := range readMessages(t, false, "id"+inArray, sqlite.JSONArray(ids)) {
		m.index(t)
	}
}

// unindex removes the words of the messages that a condition picks. It reads the messages for their words, so it comes
// before they change or go. The index asks found_text for what was added.
func unindex(t *tx, condition string, args ...any) {
	for m := range eachMessage(t, false, condition, args...) {
		if indexed(t, m.ID) {
			t.Exec(`INSERT INTO found_text (id, text) VALUES (?, ?)`, m.ID, search.IndexText(m.SearchText()))
			t.Exec(`DELETE FROM found WHERE docid = ?`, m.ID)
			t.Exec(`DELETE FROM found_text`)
		}
	}
}

// indexDamaged reports whether an error is that of an index that cannot be read. The file can be sound otherwise.
func indexDamaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrCorruptVTab
}

// renewIndex makes a new index without a message in it, so that a damaged index keeps nobody from saving a message.
func renewIndex(t *tx) {
	create := sqlite.Value[string](t, `SELECT sql FROM sqlite_schema WHERE name = 'found'`)
	// What the old index had of purged messages is gone.
	t.Exec(`DROP TABLE found; ` + create + `; UPDATE purged SET gathered = 1`)
}

// Unindexed returns how many messages the index lacks. One that still arrives is none of them.
func (s *Store) Unindexed(ctx context.Context) (int64, error) {
	return inTx(ctx, s.view, "look at the search index", unindexed)
}

func unindexed(t *tx) int64 { return sqlite.Value[int64](t, `SELECT count(*) FROM unfound`) }

// IndexSome puts the newest messages that the index lacks into it and returns how many are left. One call takes about a
// twentieth of a second, longer where FTS4 merges parts of a large index and for a very long message. Several windows
// may do it at once.
func (s *Store) IndexSome(ctx context.Context) (left int64, err error) {
	// Looked at first, so that nobody waits for a write where nothing is left to do.
	if left, err = s.Unindexed(ctx); left == 0 || err != nil {
		return left, err
	}
	return inTx(ctx, s.saveFast, "bring the search index up to date", func(t *tx) int64 {
		indexNewest(t)
		return unindexed(t)
	})
}

// One step at the backlog ends at the first of these, so that it takes about a twentieth of a second.
const (
	stepMessages = 2_000
	stepBytes    = 250_000 // of content; few messages have more to them
)

// indexNewest takes one step at the messages that are not in the index yet.
func indexNewest(t *tx) {
	indexStored(t, sqlite.List[int64](t, `
		SELECT id
		FROM (
			SELECT
				id,
				sum(size) OVER (ORDER BY id DESC) - size AS before
			FROM (SELECT id, size FROM unfound ORDER BY id DESC LIMIT ?)
		)
		WHERE before < ?`, stepMessages, stepBytes))
}
