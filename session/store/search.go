package store

import (
	"cmp"
	"context"
	"database/sql"
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

// Search finds the messages of every branch that have all words of a text, the best first: those that
// have them often and close together, and the newer ones before the older. Case, accents and the
// several ways to write a character make no difference, and scripts without spaces are found in the
// middle of a line. The last word may be unfinished from its third letter on, unless something is typed
// behind it; words in double quotes stand side by side. Every text is a query, and one without a word finds nothing.
//
// Of a very common word the newest thousand messages are ranked. What is not in the index yet is
// not found, see Unindexed. A damaged message is not found either.
func (s *Store) Search(ctx context.Context, in Search) ([]Hit, error) {
	q := search.Parse(in.Text)
	if len(q) == 0 {
		return nil, nil
	}
	if in.Limit <= 0 {
		in.Limit = 50
	}
	find := func() ([]Hit, error) {
		return inTx(ctx, s.view, "search the messages", func(tx *sql.Tx) ([]Hit, error) {
			x := searcher{tx: tx, query: q, Search: in, now: s.now(), sessions: map[int64]Session{}}
			return x.run(ctx)
		})
	}
	out, err := find()
	if !search.Damaged(err) || s.readOnly {
		return out, err
	}
	// What is indexed anew by the time of the next search is found then.
	err = s.jot(ctx, "make the search index anew", func(tx *sql.Tx) error { return search.Renew(ctx, tx) })
	if err != nil {
		return nil, err
	}
	return find()
}

// searcher is one search within its transaction.
type searcher struct {
	Search
	tx       *sql.Tx
	query    search.Query
	now      time.Time
	sessions map[int64]Session // by short key, those of the hits so far
	among    search.Among
}

// scored is a hit with its rank.
type scored struct {
	Hit
	score float64
}

func (x *searcher) run(ctx context.Context) ([]Hit, error) {
	if err := x.bound(ctx); err != nil {
		return nil, err
	}
	var all []scored
	for len(all) < x.Limit {
		page, err := x.query.Newest(ctx, x.tx, x.among)
		if err != nil {
			return nil, err
		}
		hits, err := x.best(ctx, page)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
		if len(page) < search.PageSize {
			break
		}
		// Of a whole page too few were fit to be shown: on with the older ones.
		x.among.Last = slices.MinFunc(page, func(a, b search.Candidate) int { return cmp.Compare(a.ID, b.ID) }).ID - 1
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.Message, a.Message))
	})
	var out []Hit
	for _, h := range all[:min(x.Limit, len(all))] {
		out = append(out, h.Hit)
	}
	return out, nil
}

// bound sets among which ids the hits are.
func (x *searcher) bound(ctx context.Context) error {
	x.among = search.Among{Last: 1 << 62}
	if x.Session == "" {
		return nil
	}
	n, err := sessionKey(ctx, x.tx, x.Session)
	if err != nil {
		return err
	}
	x.among.Session = n
	return x.tx.QueryRowContext(ctx, `
		SELECT
			coalesce(min(id), 0),
			coalesce(max(id), 0)
		FROM messages
		WHERE session = ?`, n).Scan(&x.among.First, &x.among.Last)
}

// best reads the best candidates, until there are twice as many hits as are wanted: the texts tell
// more of their rank than the index does.
func (x *searcher) best(ctx context.Context, page []search.Candidate) ([]scored, error) {
	var out []scored
	for chunk := range slices.Chunk(page, 2*x.Limit) {
		var ids []int64
		for _, c := range chunk {
			ids = append(ids, c.ID)
		}
		all, err := searchableMessages(ctx, x.tx, ids)
		if err != nil {
			return nil, err
		}
		if err := x.readSessions(ctx, all); err != nil {
			return nil, err
		}
		for _, m := range all {
			if h, ok := x.hit(m); ok {
				out = append(out, h)
			}
		}
		if len(out) >= 2*x.Limit {
			break
		}
	}
	return out, nil
}

// hit makes a hit of a message. It is none where its session is in the trash, where it is damaged, or
// where the index was wrong about it.
func (x *searcher) hit(m searchable) (scored, bool) {
	session, ok := x.sessions[m.session]
	if !ok || m.damaged || !x.Trash && !session.Deleted.IsZero() {
		return scored{}, false
	}
	places, length := x.query.Places(m.text)
	if !x.query.InAll(places) {
		return scored{}, false
	}
	h := scored{Hit: Hit{Session: session, Message: m.ID, Role: m.Role, Model: m.Model, At: sqlite.Time(m.CreatedMS)}}
	h.score = x.query.Score(places, length, x.now.Sub(h.At))
	h.source = search.Cut(m.text, places)
	h.Snippet, h.Marks = h.source.Text, h.source.Marks
	return h, true
}

// readSessions reads the sessions of these messages that were not read before.
func (x *searcher) readSessions(ctx context.Context, all []searchable) error {
	var keys []int64
	for _, m := range all {
		if _, ok := x.sessions[m.session]; !ok && !slices.Contains(keys, m.session) {
			keys = append(keys, m.session)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	keys, sessions, err := keyedSessions(ctx, x.tx, `WHERE n IN (SELECT value FROM json_each(?))`, sqlite.IDs(keys))
	for i, n := range keys {
		x.sessions[n] = sessions[i]
	}
	return err
}
