package store

import (
	"context"

	"winnow/history"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// index adds the words of a message to the index, where they are not in it yet. One that is damaged has no words, and
// one that still arrives gets them when it is whole.
func (m *Message) index(t *tx) {
	text := search.Text(m.Message)
	if m.Damaged {
		text = ""
	}
	if m.Status != history.Streaming {
		t.fail(search.Add(t.ctx, t.Tx, m.ID, text))
	}
}

// indexStored adds the words of these stored messages to the index.
func indexStored(t *tx, ids []int64) {
	for _, m := range messagesThat(t, false, "id"+these, sqlite.IDs(ids)) {
		m.index(t)
	}
}

// indexNewest takes one step at the messages that are not in the index yet.
func indexNewest(t *tx) {
	ids, err := search.Newest(t.ctx, t.Tx)
	t.fail(err)
	indexStored(t, ids)
}

// unindex removes the words of the messages that a condition picks. It reads the messages for their words, so it comes
// before they change or go.
func unindex(t *tx, condition string, args ...any) {
	for m := range eachMessage(t, false, condition, args...) {
		t.fail(search.Remove(t.ctx, t.Tx, m.ID, search.Text(m.Message)))
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
