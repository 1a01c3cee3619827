package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Fork copies the branch that ends at a message into a new session: the messages byte for byte with
// their token counts, what the user decided about them, and the summaries that stand for some of
// them. The session's settings and tags come along; its title names it a fork. Parent and
// ForkedAt name where it comes from. The records of requests stay where they were sent, so no copy
// names one. An answer that still arrives in another window is copied as far as it is stored, as interrupted.
func (s *Store) Fork(ctx context.Context, session string, message int64) (Session, error) {
	return inTx(ctx, s.save, "fork the session", func(t *tx) Session {
		row := sessionByKey(t, sessionKey(t, session))
		inSession(t, row.key, message)
		f := forking{tx: t, s: s, from: row.key, branch: branchIDs(t, message)}
		row.Parent, row.ForkedAt, row.ID = row.ID, message, ""
		if row.Title != "" {
			row.Title = strings.TrimSuffix(row.Title, forkMark) + forkMark
		}
		row.Created, row.Pinned, row.Archived, row.Source, row.Origin = time.Time{}, false, false, "", ""
		f.session = s.addSession(t, row)
		f.first = s.newIDs(t, len(f.branch))
		f.messages()
		f.decisions()
		f.summaries()
		settleSession(t, f.session)
		s.use(t, f.session)
		return sessionByKey(t, f.session)
	})
}

// forkMark is the end of a fork's title.
const forkMark = " (fork)"

// forking is a fork within its transaction. The copies have ids that follow one another, as a branch has: the copy of
// the message at place i has the id first + i*idStep.
type forking struct {
	*tx
	s             *Store
	from, session int64   // the short keys of the old session and of the new one
	branch        []int64 // the messages to copy, in order
	first         int64
}

// messages copies the messages with all that belongs to them.
func (f *forking) messages() {
	place, last := 0, int64(0)
	for m := range eachMessage(f.tx, false, "id"+these, sqlite.IDs(f.branch)) {
		place++
		m.ID, m.Parent, m.session, m.Seq, m.Request, m.owner = f.copyOf(m.ID), last, f.session, place, 0, ""
		if last = m.ID; m.Status == history.Streaming {
			m.Status = history.Interrupted
		}
		m.insert(f.tx)
	}
	indexNewest(f.tx)
}

// decisions copies what the user decided about the messages.
func (f *forking) decisions() {
	for _, r := range readRows[Register](f.tx, "registers WHERE session = ? AND name IN ('flag', 'remedy') AND item"+these,
		f.from, sqlite.IDs(f.branch)) {
		f.s.setRegister(f.tx, f.session, f.copyOf(r.Item), r.Name, r.Value)
	}
}

// summaries copies the summaries that stand for messages of the branch.
func (f *forking) summaries() {
	for _, m := range readRows[Summary](f.tx, "summaries WHERE session = ?1 AND first IN (SELECT value FROM json_each(?2))"+
		" AND last IN (SELECT value FROM json_each(?2)) ORDER BY id", f.from, sqlite.IDs(f.branch)) {
		if !inOrder(m.Sources) {
			continue
		}
		m.ID, m.session = f.s.newID(f.tx), f.session
		for i, run := range m.Sources {
			m.Sources[i] = [2]int64{f.copyOf(run[0]), f.copyOf(run[1])}
		}
		m.insert(f.tx)
	}
}

// copyOf is the id of the copy of a message of the branch.
func (f *forking) copyOf(message int64) int64 {
	place, _ := slices.BinarySearch(f.branch, message)
	return f.first + int64(place)*idStep
}
