package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"winnow/session/store/sqlite"
)

// Fork copies the branch that ends at a message into a new session: the messages byte for byte with
// their token counts, what the user decided about them, and the summaries that stand for some of
// them. The session's settings and tags come along; its title names it a fork. Parent and
// ForkedAt name where it comes from. The records of requests stay where they were sent, so no copy
// names one. An answer that still arrives in another window is copied as far as it is stored, as interrupted.
func (s *Store) Fork(ctx context.Context, session string, message int64) (Session, error) {
	return inTx(ctx, s.save, "fork the session", func(t *tx) Session {
		from := sessionByID(t, session)
		inSession(t, from.key, message)
		f := forking{s: s, tx: t, branch: branchIDs(t, message)}
		row := from.Session
		row.ID, row.Parent, row.ForkedAt = "", from.ID, message
		if row.Title != "" {
			row.Title = strings.TrimSuffix(row.Title, forkMark) + forkMark
		}
		row.Created, row.Pinned, row.Archived, row.Source, row.Origin = time.Time{}, false, false, "", ""
		f.session = s.addSession(t, row)
		f.first = s.newIDs(t, len(f.branch))
		f.messages()
		f.summaries(from.key)
		s.use(t, f.session)
		return sessionByKey(t, f.session).Session
	})
}

// forkMark is the end of a fork's title.
const forkMark = " (fork)"

// forking is a fork within its transaction. The copies have ids that follow one another, as a branch has: the copy of
// the message at place i has the id first + i*idStep.
type forking struct {
	*tx
	s       *Store
	session int64   // the short key of the new session
	branch  []int64 // the messages to copy, in order
	first   int64
}

// messages copies the messages with all that belongs to them.
func (f *forking) messages() {
	given := []string{"id", "session", "seq", "parent", "status", "request", "owner"}
	var kept []string
	for _, c := range new(MessageLine).columns() {
		if c.use&lineOnly == 0 && !slices.Contains(given, c.name) {
			kept = append(kept, c.name)
		}
	}
	f.run(`
		INSERT INTO messages (id, session, seq, parent, status, ` + strings.Join(kept, ", ") + `)
		SELECT
			:first + :step * b.key,
			:session,
			1 + b.key,
			iif(b.key = 0, 0, :first + :step * (b.key - 1)),
			iif(status = 'streaming', 'interrupted', status),
			m.` + strings.Join(kept, ", m.") + `
		FROM json_each(:branch) b
		CROSS JOIN messages m ON m.id = b.value
		ORDER BY b.key`)
	for table, columns := range map[string]string{
		"tool_calls": "place, call_id, name, arguments",
		"parts":      "place, kind, name, media_type, tokens, attachment",
	} {
		f.run(fmt.Sprintf(`
			INSERT INTO %[1]s (message, %[2]s)
			SELECT :first + :step * b.key, t.%[3]s
			FROM json_each(:branch) b
			CROSS JOIN %[1]s t ON t.message = b.value`, table, columns, strings.ReplaceAll(columns, ", ", ", t.")))
	}
	f.run(`
		UPDATE sessions
		SET messages = json_array_length(:branch),
			turns = (SELECT count(*) FROM messages WHERE session = :session AND role = 'user'),
			leaf = :first + :step * (json_array_length(:branch) - 1)
		WHERE n = :session`)
	for _, r := range readRows[RegisterLine](f.tx, `registers
		WHERE name IN ('flag', 'remedy')
			AND session = (SELECT session FROM messages WHERE id = ?1 ->> 0)
			AND item IN (SELECT value FROM json_each(?1))
		ORDER BY item`, sqlite.IDs(f.branch)) {
		f.s.setRegister(f.tx, f.session, f.copyOf(r.Item), r.Name, r.Value)
	}
	indexNewest(f.tx)
}

// run runs a step of the fork. :branch lists the messages to copy, and a message's key in that list is its
// place, from 0.
func (f *forking) run(query string) {
	f.exec(query,
		sql.Named("branch", sqlite.IDs(f.branch)),
		sql.Named("first", f.first),
		sql.Named("step", idStep),
		sql.Named("session", f.session))
}

// summaries copies the summaries of a session that stand for messages of the branch.
func (f *forking) summaries(of int64) {
	for _, l := range readRows[Summary](f.tx, `summaries
		WHERE session = ?1
			AND first IN (SELECT value FROM json_each(?2))
			AND last IN (SELECT value FROM json_each(?2))
		ORDER BY id`, of, sqlite.IDs(f.branch)) {
		if !inOrder(l.Sources) {
			continue
		}
		l.ID = f.s.newID(f.tx)
		for i, run := range l.Sources {
			l.Sources[i] = [2]int64{f.copyOf(run[0]), f.copyOf(run[1])}
		}
		insertSummary(f.tx, f.session, &l)
	}
}

// copyOf is the id of the copy of a message of the branch.
func (f *forking) copyOf(message int64) int64 {
	place, _ := slices.BinarySearch(f.branch, message)
	return f.first + int64(place)*idStep
}
