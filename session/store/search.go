package store

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"winnow/history"
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
	At      time.Time // when it was said
	Snippet string    // one line of it around what was found, without control characters
	Marks   [][2]int  // what was found in Snippet: byte ranges in order that do not touch

	around   string // the text from which the snippet was cut, as far as Without looks at it
	from, to int    // where the snippet stands in it
	cut      bool   // something stands before the snippet
}

// Without is a hit with a sign in the place of what find finds in its snippet, and how often it found something.
// Find gets the text around the snippet too, and gives byte ranges in order and apart. A mark that one of them
// meets is gone.
func (h Hit) Without(find func(text string) [][2]int, sign string) (Hit, int) {
	spans := h.spans(find)
	if len(spans) == 0 {
		return h, 0
	}
	var text strings.Builder
	var marks [][2]int
	last, next := 0, h.Marks
	for _, span := range append(slices.Clone(spans), [2]int{len(h.Snippet), len(h.Snippet)}) {
		moved := text.Len() - last
		for ; len(next) > 0 && next[0][0] < span[0]; next = next[1:] {
			if next[0][1] <= span[0] {
				marks = append(marks, [2]int{next[0][0] + moved, next[0][1] + moved})
			}
		}
		for len(next) > 0 && next[0][0] < span[1] {
			next = next[1:]
		}
		text.WriteString(h.Snippet[last:span[0]])
		if span[0] < len(h.Snippet) {
			text.WriteString(sign)
		}
		last = span[1]
	}
	h.Snippet, h.Marks = text.String(), marks
	return h, len(spans)
}

// spans are the byte ranges of the snippet in which find finds something: in the snippet itself, and in the
// text that it was cut from, of which a find may begin before the snippet or end behind it.
func (h Hit) spans(find func(text string) [][2]int) [][2]int {
	spans := slices.Clone(find(h.Snippet))
	for _, span := range find(h.around) {
		from, to := max(span[0], h.from), min(span[1], h.to)
		if from >= to {
			continue
		}
		first, end := h.inSnippet(from), h.inSnippet(to)
		if first < end {
			spans = append(spans, [2]int{first, end})
		}
	}
	return merged(spans)
}

// inSnippet is where byte at of the text around the snippet stands in it.
func (h Hit) inSnippet(at int) int {
	w := lineWriter{space: true}
	if h.cut {
		w.b.WriteString(ellipsis)
	}
	for i, r := range h.around[h.from:at] {
		w.write(r, i)
	}
	return min(w.b.Len(), len(h.Snippet))
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
	q := parseQuery(in.Text)
	if len(q) == 0 {
		return nil, nil
	}
	if in.Limit <= 0 {
		in.Limit = 50
	}
	var out []Hit
	look := func() error {
		return s.view(ctx, "search the messages", func(tx *sql.Tx) error {
			x := searcher{tx: tx, query: q, Search: in, now: s.now(), sessions: map[int64]Session{}}
			var err error
			out, err = x.run(ctx)
			return err
		})
	}
	err := look()
	if !indexDamaged(err) || s.readOnly {
		return out, err
	}
	// What is indexed anew by the time of the next search is found then.
	err = s.jot(ctx, "make the search index anew", func(tx *sql.Tx) error { return renewIndex(ctx, tx) })
	if err != nil {
		return nil, err
	}
	return out, look()
}

const (
	pageOfHits = 1000 // how many hits are ranked at once
	fewHits    = 300  // as many messages can be read faster than the index finds a common word among them
)

// searcher is a search on its way.
type searcher struct {
	Search
	tx       *sql.Tx
	query    query
	now      time.Time
	sessions map[int64]Session // by short key, those of the hits so far
	first    int64             // the ids among which hits are looked for
	last     int64
	only     int64 // the short key of the only session, 0 for all
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
		page, err := x.candidates(ctx)
		if err != nil {
			return nil, err
		}
		hits, err := x.best(ctx, page)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
		if len(page) < pageOfHits {
			break
		}
		// Of a whole page too few were fit to be shown: on with the older ones.
		x.last = slices.MinFunc(page, func(a, b candidate) int { return cmp.Compare(a.id, b.id) }).id - 1
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
	x.first, x.last = 0, 1<<62
	if x.Session == "" {
		return nil
	}
	n, err := sessionKey(ctx, x.tx, x.Session)
	if err != nil {
		return err
	}
	x.only = n
	return x.tx.QueryRowContext(ctx, `
		SELECT
			coalesce(min(id), 0),
			coalesce(max(id), 0)
		FROM messages
		WHERE session = ?`, n).Scan(&x.first, &x.last)
}

// candidates returns the newest page of hits, as far as the index knows, the best first.
func (x *searcher) candidates(ctx context.Context) ([]candidate, error) {
	match, err := x.match(ctx)
	if err != nil {
		return nil, err
	}
	among := ""
	args := []any{match, x.first, x.last}
	if x.only != 0 {
		// The plus keeps SQLite from asking the index for each message of the session by itself.
		among = "AND +docid IN (SELECT id FROM messages WHERE session = ?)"
		args = append(args, x.only)
	}
	rows, err := x.tx.QueryContext(ctx, `
		SELECT
			docid,
			matchinfo(found, 'yl')
		FROM found
		WHERE found MATCH ?
			AND docid BETWEEN ? AND ?
			`+among+`
		ORDER BY docid DESC
		LIMIT ?`, append(args, pageOfHits)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []candidate
	var info sql.RawBytes
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &info); err != nil {
			return nil, err
		}
		all = append(all, newCandidate(id, info, len(all)))
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return all, rows.Err()
}

// match is what the index is asked for. Where one word stands in few messages, that is this word alone:
// the messages themselves tell whether they have the others, while the index would go through every
// message that has the most common of them.
func (x *searcher) match(ctx context.Context) (string, error) {
	if len(x.query) == 1 {
		return x.query.match(), nil
	}
	for _, p := range x.query {
		if p.open || len(p.words) > 1 {
			continue // to count those can take as long as the search
		}
		alone := query{p}.match()
		var n int
		err := x.tx.QueryRowContext(ctx, `
			SELECT count(*)
			FROM (
				SELECT 1
				FROM found
				WHERE found MATCH ?
				ORDER BY docid DESC
				LIMIT ?
			)`, alone, fewHits+1).Scan(&n)
		if err != nil || n <= fewHits {
			return alone, err
		}
	}
	return x.query.match(), nil
}

// best reads the best candidates, until there are twice as many hits as are wanted: the texts tell
// more of their rank than the index does.
func (x *searcher) best(ctx context.Context, page []candidate) ([]scored, error) {
	var out []scored
	for chunk := range slices.Chunk(page, 2*x.Limit) {
		var ids []int64
		for _, c := range chunk {
			ids = append(ids, c.id)
		}
		all, err := soughtMessages(ctx, x.tx, ids)
		if err != nil {
			return nil, err
		}
		if err := x.meet(ctx, all); err != nil {
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
func (x *searcher) hit(m sought) (scored, bool) {
	session, ok := x.sessions[m.session]
	if !ok || m.damaged || !x.Trash && !session.Deleted.IsZero() {
		return scored{}, false
	}
	places, length := x.query.places(m.text)
	if !x.query.inAll(places) {
		return scored{}, false
	}
	h := scored{Hit: Hit{Session: session, Message: m.ID, Role: m.Role, At: at(m.CreatedMS)}}
	h.score = x.query.score(places, length, x.now.Sub(h.At))
	h.setSnippet(m.text, places)
	return h, true
}

// meet reads the sessions of these messages that were not met before.
func (x *searcher) meet(ctx context.Context, all []sought) error {
	var keys []int64
	for _, m := range all {
		if _, ok := x.sessions[m.session]; !ok && !slices.Contains(keys, m.session) {
			keys = append(keys, m.session)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	keys, sessions, err := keyedSessions(ctx, x.tx, `WHERE s.n IN (SELECT value FROM json_each(?))`, list(keys))
	for i, n := range keys {
		x.sessions[n] = sessions[i]
	}
	return err
}
