package store

import (
	"context"
	"slices"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// searchable is a stored message as the index and a search see it: with the text that is searched, and without the
// bytes of its images, which cost a search much and tell it nothing.
type searchable struct {
	MessageLine
	text    string // as stored, even where it is damaged
	damaged bool   // what was said fails its fingerprint
}

// searchableMessages reads these messages in the order of their ids. Those that are gone are left out.
func searchableMessages(t *tx, ids []int64) []searchable {
	rows := readMessages(t, "messages m WHERE m.id IN (SELECT value FROM json_each(?))", sqlite.IDs(ids))
	damaged := assemble(t, rows, false)
	out := make([]searchable, len(rows))
	for i, r := range rows {
		out[i] = searchable{r, search.Text(r.Message.Message), damaged[i]}
	}
	return out
}

// indexStored adds the words of these stored messages to the index, where they are not in it yet. One
// that is damaged has no words, and one that still arrives gets them when it is whole.
func indexStored(t *tx, ids []int64) {
	for _, m := range searchableMessages(t, ids) {
		if m.damaged {
			m.text = ""
		}
		if m.Status != history.Streaming {
			t.fail(search.Add(t.ctx, t.Tx, m.ID, m.text))
		}
	}
}

// indexAgain adds the words of stored messages to the index that were damaged when they came to it.
func indexAgain(t *tx, ids []int64) {
	for _, id := range ids {
		t.fail(search.Remove(t.ctx, t.Tx, id, ""))
	}
	indexStored(t, ids)
}

// indexNewest takes one step at the messages that are not in the index yet.
func indexNewest(t *tx) {
	ids, err := search.Newest(t.ctx, t.Tx)
	t.fail(err)
	indexStored(t, ids)
}

// unindex removes the words of these messages from the index. It reads the messages for their words,
// so it comes before they change or go.
func unindex(t *tx, ids []int64) {
	for _, m := range searchableMessages(t, ids) {
		t.fail(search.Remove(t.ctx, t.Tx, m.ID, m.text))
	}
}

// unindexSession removes the words of all messages of a session.
func unindexSession(t *tx, n int64) {
	const atOnce = 500 // messages in memory
	for some := range slices.Chunk(t.ids(`SELECT id FROM messages WHERE session = ?`, n), atOnce) {
		unindex(t, some)
	}
}

// Unindexed returns how many messages the index lacks.
func (s *Store) Unindexed(ctx context.Context) (int64, error) {
	return inTx(ctx, s.view, "look at the search index", unindexed)
}

func unindexed(t *tx) int64 {
	left, err := search.Waiting(t.ctx, t.Tx)
	t.fail(err)
	return left
}

// IndexSome puts the newest messages that the index lacks into it and returns how many are left. One call takes about a
// twentieth of a second, longer where FTS4 merges parts of a large index and for a very long message. Several windows
// may do it at once.
func (s *Store) IndexSome(ctx context.Context) (left int64, err error) {
	// Looked at first, so that nobody waits for a write where nothing is left to do.
	if left, err = s.Unindexed(ctx); left == 0 || err != nil {
		return left, err
	}
	return inTx(ctx, s.jot, "bring the search index up to date", func(t *tx) int64 {
		indexNewest(t)
		return unindexed(t)
	})
}
