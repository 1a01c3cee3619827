package store

import (
	"context"

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
	if len(ids) == 0 {
		return nil
	}
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
		if !m.damaged && m.Status != history.Streaming {
			t.fail(search.Add(t.ctx, t.Tx, m.ID, m.text))
		}
	}
}

// indexNew adds the words of new messages to the index: of as many as one step takes at once, and of the others in the
// background, the newest first.
func indexNew(t *tx, ids []int64) {
	t.fail(search.Later(t.ctx, t.Tx, ids...))
	indexNewest(t)
}

// indexNewest takes one step at the backlog.
func indexNewest(t *tx) {
	ids, err := search.TakeNewest(t.ctx, t.Tx)
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
	const step = 500 // messages in memory at once
	for from := int64(0); ; {
		ids := t.ids(`SELECT id FROM messages WHERE session = ? AND id > ? ORDER BY id LIMIT ?`, n, from, step)
		if len(ids) == 0 {
			return
		}
		unindex(t, ids)
		from = ids[len(ids)-1]
	}
}

// Unindexed returns how many messages the index lacks at most: those that were purged since are counted as well.
func (s *Store) Unindexed(ctx context.Context) (int64, error) {
	return inTx(ctx, s.view, "look at the search index", unindexed)
}

func unindexed(t *tx) int64 {
	left, err := search.Waiting(t.ctx, t.Tx)
	t.fail(err)
	return left
}

// IndexSome puts the newest messages of the backlog into the index and returns how many are left, as Unindexed counts
// them. One call takes about a twentieth of a second, longer where FTS4 merges parts of a large index and for a very
// long message. Several windows may do it at once.
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
