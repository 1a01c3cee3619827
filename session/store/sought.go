package store

import (
	"context"
	"database/sql"

	"winnow/session/store/search"
	"winnow/session/store/sqlite"
)

// sought is a stored message as the index and a search see it: with the text that is searched, and without the
// bytes of its images, which cost a search much and tell it nothing.
type sought struct {
	Message
	session int64  // its session's short key
	text    string // as stored, even where it is damaged
	damaged bool   // what was said fails its fingerprint
}

// soughtMessages reads these messages in the order of their ids. Those that are gone are left out.
func soughtMessages(ctx context.Context, tx *sql.Tx, ids []int64) ([]sought, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := readRows(ctx, tx, ids)
	if err != nil {
		return nil, err
	}
	damaged, err := assemble(ctx, tx, rows, false)
	if err != nil {
		return nil, err
	}
	out := make([]sought, len(rows))
	for i, r := range rows {
		out[i] = sought{Message: r.Message, session: r.key, text: search.Text(r.Message.Message), damaged: damaged[i]}
	}
	return out, nil
}

func readRows(ctx context.Context, tx *sql.Tx, ids []int64) ([]row, error) {
	return sqlite.Collect(ctx, tx, newScan().next, `
		SELECT`+messageColumns+`
		FROM messages m
		WHERE m.id IN (SELECT value FROM json_each(?))
		ORDER BY m.id`, list(ids))
}
