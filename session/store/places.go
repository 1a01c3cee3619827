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
			var session, leaf int64
			var at Place
			if !t.row([]any{&session, &at.Number, &leaf, &at.Of}, `
				SELECT m.session, m.seq, s.leaf, s.messages
				FROM messages m
				JOIN sessions s ON s.n = m.session
				WHERE m.id = ?`, id) {
				continue
			}
			branch, known := branches[session]
			if !known {
				branch = activeBranch(t, session, leaf)
				branches[session] = branch
			}
			if branch != nil {
				i, active := slices.BinarySearch(branch, id)
				at.Number, at.Of = i+1, len(branch)
				if !active {
					at.Number, at.Of = len(branchIDs(t, session, id)), 0
				}
			}
			if last := pastVerdicts(t, session, id, "AND v.purpose = ''", 1); len(last) > 0 {
				at.Last = &last[0].Entry
			}
			places[id] = at
		}
		return places
	})
}

// activeBranch is the active branch of a session, nil where the session has no other.
func activeBranch(t *tx, session, leaf int64) []int64 {
	forked := value[bool](t, `
		SELECT EXISTS (SELECT 1 FROM messages WHERE session = ? GROUP BY parent HAVING count(*) > 1)`, session)
	switch {
	case !forked:
		return nil
	case leaf == 0:
		return []int64{}
	}
	return branchIDs(t, session, leaf)
}
