package store

import (
	"context"
	"database/sql"

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
func searchableMessages(ctx context.Context, tx *sql.Tx, ids []int64) ([]searchable, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := readMessages(ctx, tx, "messages m WHERE m.id IN (SELECT value FROM json_each(?))", sqlite.IDs(ids))
	if err != nil {
		return nil, err
	}
	damaged, err := assemble(ctx, tx, rows, false)
	if err != nil {
		return nil, err
	}
	out := make([]searchable, len(rows))
	for i, r := range rows {
		out[i] = searchable{r, search.Text(r.Message.Message), damaged[i]}
	}
	return out, nil
}

// index adds the words of a message to the index.
func index(ctx context.Context, tx *sql.Tx, id int64, m history.Message) error {
	return search.Add(ctx, tx, id, search.Text(m))
}

// indexStored adds the words of these stored messages to the index, where they are not in it yet. One
// that is damaged has no words, and one that still arrives gets them when it is whole.
func indexStored(ctx context.Context, tx *sql.Tx, ids []int64) error {
	all, err := searchableMessages(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.damaged || m.Status == history.Streaming {
			continue
		}
		if err := search.Add(ctx, tx, m.ID, m.text); err != nil {
			return err
		}
	}
	return nil
}

// indexNew adds the words of new messages to the index: of as many as one step takes at once, and of the others in the
// background, the newest first.
func indexNew(ctx context.Context, tx *sql.Tx, ids []int64) error {
	if err := search.Later(ctx, tx, ids...); err != nil {
		return err
	}
	return indexNewest(ctx, tx)
}

// indexNewest takes one step at the backlog.
func indexNewest(ctx context.Context, tx *sql.Tx) error {
	ids, err := search.TakeNewest(ctx, tx)
	if err != nil {
		return err
	}
	return indexStored(ctx, tx, ids)
}

// unindex removes the words of these messages from the index. It reads the messages for their words,
// so it comes before they change or go.
func unindex(ctx context.Context, tx *sql.Tx, ids []int64) error {
	all, err := searchableMessages(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := search.Remove(ctx, tx, m.ID, m.text); err != nil {
			return err
		}
	}
	return nil
}

// unindexSession removes the words of all messages of a session.
func unindexSession(ctx context.Context, tx *sql.Tx, n int64) error {
	const step = 500 // messages in memory at once
	for from := int64(0); ; {
		ids, err := idsWhere(ctx, tx, `
			SELECT id
			FROM messages
			WHERE session = ?
				AND id > ?
			ORDER BY id
			LIMIT ?`, n, from, step)
		if err != nil || len(ids) == 0 {
			return err
		}
		if err := unindex(ctx, tx, ids); err != nil {
			return err
		}
		from = ids[len(ids)-1]
	}
}

// Unindexed returns how many messages the index lacks at most: those that were purged since are counted as well.
func (s *Store) Unindexed(ctx context.Context) (int64, error) {
	return inTx(ctx, s.view, "look at the search index", func(tx *sql.Tx) (int64, error) {
		return search.Waiting(ctx, tx)
	})
}

// IndexSome puts the newest messages of the backlog into the index and returns how many are left, as Unindexed counts
// them. One call takes about a twentieth of a second, longer where FTS4 merges parts of a large index and for a very
// long message. Several windows may do it at once.
func (s *Store) IndexSome(ctx context.Context) (left int64, err error) {
	// Looked at first, so that nobody waits for a write where nothing is left to do.
	if left, err = s.Unindexed(ctx); left == 0 || err != nil {
		return left, err
	}
	return inTx(ctx, s.jot, "bring the search index up to date", func(tx *sql.Tx) (int64, error) {
		if err := indexNewest(ctx, tx); err != nil {
			return 0, err
		}
		return search.Waiting(ctx, tx)
	})
}
