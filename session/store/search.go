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

// SearchQuery is the argument of Store.Search.
type SearchQuery struct {
	Text    string // as the user typed it, see Store.Search
	Session string // the full id of the only session to search, "" for all
	Trash   bool   // also search sessions in the trash
	Limit   int    // the maximum number of hits, 0 for 50

	// Hide removes secrets from a text before a snippet is cut from it; nil removes none.
	Hide func(text string) string
}

// SearchHit is a message that a search found.
type SearchHit struct {
	Session Session
	Message int64
	Role    history.Role
	Model   string    // the model that wrote an answer
	At      time.Time // when the message was created
	Snippet string    // one line of the message around the match, without control characters
	Marks   [][2]int  // matches in Snippet: ascending byte ranges that do not touch
	Hidden  bool      `json:"-"` // SearchQuery.Hide removed something near Snippet
}

// Search finds the messages, on all branches, that contain all words of in.Text, newest first. It ignores case, accents
// and differences in how a character is encoded. In scripts without spaces it also matches in the middle of a line. The
// last word may be incomplete from three letters on, unless something follows it. Words in double quotes must be
// adjacent. Every text is a valid query; one without words finds nothing.
//
// Messages that are damaged or not indexed yet are not found; see Unindexed.
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
		// The next search finds what has been indexed again until then.
		return nil, s.saveFast(ctx, "rebuild the search index", renewIndex)
	}
	return hits, err
}

// find reads the newest messages that the index returns. It skips damaged messages and false matches of the index.
func (in SearchQuery) find(t *tx, q search.Query) (hits []SearchHit) {
	// CROSS JOIN makes SQLite query the index first, which returns the newest messages first and stops at the limit.
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

// Marks returns the matches of the query in a text: ascending byte ranges that do not touch.
func (in SearchQuery) Marks(text string) [][2]int {
	marks, _ := search.Parse(in.Text).Find(text)
	return marks
}

// SearchText returns the text of a message that a search looks at: its content, tool calls and files.
func (m Message) SearchText() string { return search.MessageText(m.Message) }

// The table found is the full-text index. A message is added to and removed from it in the transaction that writes or
// deletes the message. The index keeps no copy of the text. Messages that come in large numbers, as in an import, are
// in the view unfound until IndexSome adds them in short steps. If the index is damaged, an empty one replaces it and
// all messages are indexed again.

// index adds the words of a message to the index unless they are in it. A damaged message is indexed without words, and
// one that is still streaming is not indexed until it ends.
func (m *Message) index(t *tx) {
	if m.Status == history.Streaming || indexed(t, m.ID) {
		return
	}
	words := ""
	if !m.Damaged {
		words = search.IndexText(m.SearchText())
	}
	// Not INSERT … SELECT: FTS4 would write a segment for each row.
	t.Exec(`INSERT INTO found (docid, text) VALUES (?, ?)`, m.ID, words)
}

// indexed reports whether a message is in the index.
func indexed(t *tx, id int64) bool {
	return sqlite.QueryValue[bool](t, `SELECT EXISTS (SELECT 1 FROM found_docsize WHERE docid = ?)`, id)
}

// indexStored adds the stored messages with these ids to the index.
func indexStored(t *tx, ids []int64) {
	for _, m := range readMessages(t, false, "id"+inArray, sqlite.JSONArray(ids)) {
		m.index(t)
	}
}

// unindex removes the messages that match a condition from the index. It needs their words, so call it before the
// messages change or are deleted. FTS4 reads the words to remove from found_text.
func unindex(t *tx, condition string, args ...any) {
	for m := range eachMessage(t, false, condition, args...) {
		if indexed(t, m.ID) {
			t.Exec(`INSERT INTO found_text (id, text) VALUES (?, ?)`, m.ID, search.IndexText(m.SearchText()))
			t.Exec(`DELETE FROM found WHERE docid = ?`, m.ID)
			t.Exec(`DELETE FROM found_text`)
		}
	}
}

// indexDamaged reports whether an error means that the index cannot be read. The rest of the file may be intact.
func indexDamaged(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrCorruptVTab
}

// renewIndex replaces the index by an empty one, so that a damaged index does not prevent saving messages.
func renewIndex(t *tx) {
	create := sqlite.QueryValue[string](t, `SELECT sql FROM sqlite_schema WHERE name = 'found'`)
	// Words of purged messages are gone with the old index.
	t.Exec(`DROP TABLE found; ` + create + `; UPDATE purged SET gathered = 1`)
}

// Unindexed returns the number of messages that are not in the index, without those that are still streaming.
func (s *Store) Unindexed(ctx context.Context) (int64, error) {
	return inTx(ctx, s.view, "read the search index", unindexed)
}

func unindexed(t *tx) int64 { return sqlite.QueryValue[int64](t, `SELECT count(*) FROM unfound`) }

// IndexSome adds some of the newest missing messages to the index and returns how many are still missing. A call takes
// about 50 ms, and longer if FTS4 merges parts of a large index or if a message is very long. Several windows may call
// it at the same time.
func (s *Store) IndexSome(ctx context.Context) (left int64, err error) {
	// Check first, so that a call without work does not wait for other writers.
	if left, err = s.Unindexed(ctx); left == 0 || err != nil {
		return left, err
	}
	return inTx(ctx, s.saveFast, "update the search index", func(t *tx) int64 {
		indexNewest(t)
		return unindexed(t)
	})
}

// A step of indexing ends at the first of these limits, so that it takes about 50 ms.
const (
	stepMessages = 2_000
	stepBytes    = 250_000 // of message content
)

// indexNewest does one step of indexing the missing messages, newest first.
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
