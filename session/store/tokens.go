package store

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"

	"winnow/history"
)

// SetTokens caches what a tokenizer counted, by message. It changes nothing that was said. Answers
// that still arrive are left alone, and so are messages that are gone.
func (s *Store) SetTokens(ctx context.Context, tokenizer string, counts map[int64]int) error {
	// In the order of the ids neighbours in the file are written together.
	ids := slices.SortedFunc(maps.Keys(counts), cmp.Compare[int64])
	return s.jot(ctx, "keep the token counts", func(tx *sql.Tx) error {
		set, err := tx.PrepareContext(ctx, `
			UPDATE messages
			SET tokens = ?,
				tokenizer = ?
			WHERE id = ?
				AND status <> ?`)
		if err != nil {
			return err
		}
		defer set.Close()
		for _, id := range ids {
			if _, err := set.ExecContext(ctx, counts[id], tokenizer, id, history.Streaming); err != nil {
				return err
			}
		}
		return nil
	})
}
