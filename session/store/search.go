package store

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// Search says what to look for in the messages.
type Search struct {
	Text    string // as it is typed, see Store.Search
	Session string // the whole id of the only session to look in, "" for all
	Trash   bool   // in the trash as well
	Limit   int    // how many hits at most, 0 for 50
}

// Hit is a message that was found.
type Hit struct {
	Session Session
	Message int64
	Role    history.Role
	Model   string    // of an answer: who wrote it
	At      time.Time // when it was said
	Snippet string    // one line of it around what was found, without control characters
	Marks   [][2]int  // what was found in Snippet: byte ranges in order that do not touch

	source search.Snippet // Snippet and Marks with the text that they were cut from
}

// Without is a hit with a sign in the place of what find finds in its snippet, and how often it found something.
// Find gets the text around the snippet too, and gives byte ranges in order and apart. A mark that one of them
// meets is gone.
func (h Hit) Without(find func(text string) [][2]int, sign string) (Hit, int) {
	cut := h.source
	cut.Text, cut.Marks = h.Snippet, h.Marks
	cut, n := cut.Without(find, sign)
	h.Snippet, h.Marks, h.source = cut.Text, cut.Marks, cut
	return h, n
}

// Search finds the messages of every branch that have all words of a text, the best first: those that have them often
// and close together, and newer ones before older ones. Case, accents and the several ways to write a character make
// no difference, and scripts without spaces are found in the middle of a line. The last word may be unfinished from
// its third letter on, unless something is typed behind it; words in double quotes are side by side. Every text is a
// query, and one without a word finds nothing.
//
// Of a common word the newest few hundred messages are ranked. What is not in the index yet is not found, see
// Unindexed. A damaged message is not found either.
func (s *Store) Search(ctx context.Context, in Search) ([]Hit, error) {
	q := search.Parse(in.Text)
	if len(q) == 0 {
		return nil, nil
	}
	if in.Limit <= 0 {
		in.Limit = 50
	}
	find := func() ([]Hit, error) {
		return inTx(ctx, s.view, "search the messages", func(t *tx) []Hit { return in.find(t, q, s.now()) })
	}
	hits, err := find()
	if !search.Damaged(err) || s.readOnly {
		return hits, err
	}
	// What is indexed anew by the time of the next search is found then.
	if err := s.jot(ctx, "make the search index anew", renewIndex); err != nil {
		return nil, err
	}
	return find()
}

// ranked is how many of the newest messages that have all words are read and ranked, where fewer are wanted.
const ranked = 300

// scored is a message that was found, with its rank.
type scored struct {
	searchable
	match search.Match
	score float64
}

// find reads the newest messages that the index finds, and ranks them by their texts. A message that is damaged, or
// that the index is wrong about, is no hit.
func (in Search) find(t *tx, q search.Query, now time.Time) []Hit {
	var found []scored
	for _, m := range searchableMessages(t, in.newest(t, q)) {
		if match, ok := q.Find(m.text); ok && !m.damaged {
			found = append(found, scored{m, match, match.Score(now.Sub(timeOf(m.CreatedMS)))})
		}
	}
	slices.SortFunc(found, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.ID, a.ID))
	})
	return hits(t, found[:min(in.Limit, len(found))])
}

// newest returns the newest messages that the index finds, in the sessions to look in.
func (in Search) newest(t *tx, q search.Query) []int64 {
	var session int64
	first, last := int64(0), int64(math.MaxInt64)
	if in.Session != "" {
		session = sessionKey(t, in.Session)
		// The index passes over what is before and behind the session.
		t.row([]any{&first, &last},
			`SELECT coalesce(min(id), 0), coalesce(max(id), 0) FROM messages WHERE session = ?`, session)
	}
	// CROSS JOIN has SQLite ask the index first: it finds the newest first, and no more than are wanted.
	return t.ids(`
		SELECT f.docid
		FROM found f
		CROSS JOIN messages m ON m.id = f.docid
		CROSS JOIN sessions s ON s.n = m.session
		WHERE f.found MATCH ?1
			AND f.docid BETWEEN ?2 AND ?3
			AND (?4 = 0 OR m.session = ?4)
			AND (s.deleted_ms = 0 OR ?5)
		ORDER BY f.docid DESC
		LIMIT ?6`, q.Match(), first, last, session, in.Trash, max(ranked, in.Limit))
}

// hits makes hits of what was found.
func hits(t *tx, found []scored) []Hit {
	var keys []int64
	for _, f := range found {
		keys = append(keys, f.session)
	}
	sessions := map[int64]Session{}
	for _, row := range readSessions(t, `sessions WHERE n IN (SELECT value FROM json_each(?))`, sqlite.IDs(keys)) {
		sessions[row.key] = row.Session
	}
	var out []Hit
	for _, f := range found {
		cut := f.match.Snippet()
		out = append(out, Hit{
			Session: sessions[f.session], Message: f.ID, Role: f.Role, Model: f.Model, At: timeOf(f.CreatedMS),
			Snippet: cut.Text, Marks: cut.Marks, source: cut,
		})
	}
	return out
}

// Marks are the places in a text that a search finds: byte ranges in order that do not touch.
func (in Search) Marks(text string) [][2]int { return search.Parse(in.Text).Marks(text) }

// Searched is all of a message that a search looks in: its text, its tool calls and its files.
func (m Message) Searched() string { return search.Text(m.Message) }
