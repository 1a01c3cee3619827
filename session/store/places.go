package store

import (
	"context"
	"slices"

	"winnow/history"
)

// Place is where a message stands in its session, and what became of it last.
type Place struct {
	Number int            // on its branch, from 1
	Of     int            // how many messages the active branch has; 0 for a message on another branch
	Last   *history.Entry // what the newest request for an answer that did not fail decided about it; nil for none
}

// Places looks up where messages stand. Nothing is planned for it. Messages that are gone are not in the map.
func (s *Store) Places(ctx context.Context, messages ...int64) (map[int64]Place, error) {
	return inTx(ctx, s.view, "find the messages", func(t *tx) map[int64]Place {
		places, branches := make(map[int64]Place, len(messages)), map[int64][]int64{}
		for _, id := range messages {
			var leaf int64
			if !t.row([]any{&leaf}, `
				SELECT s.leaf
				FROM messages m
				JOIN sessions s ON s.n = m.session
				WHERE m.id = ?`, id) {
				continue
			}
			if branches[leaf] == nil && leaf != 0 {
				branches[leaf] = branchIDs(t, leaf)
			}
			i, active := slices.BinarySearch(branches[leaf], id)
			at := Place{Number: i + 1, Of: len(branches[leaf])}
			if !active {
				at = Place{Number: len(branchIDs(t, id))}
			}
			if last := pastVerdicts(t, id, "AND purpose = ''", 1); len(last) > 0 {
				at.Last = &last[0].Entry
			}
			places[id] = at
		}
		return places
	})
}
