package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strconv"
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
		f := forking{s: s, tx: t, from: from.key, branch: branchIDs(t, from.key, message)}
		row := from.Session
		row.ID, row.Parent, row.ForkedAt = "", from.ID, message
		row.Title = forkTitle(row.Title, list[string](t, `SELECT title FROM sessions WHERE parent = ?`, from.ID))
		row.Created, row.Pinned, row.Archived, row.Source, row.Origin = time.Time{}, false, false, "", ""
		f.to = s.addSession(t, row)
		f.copy()
		s.use(t, f.to)
		return sessionByKey(t, f.to).Session
	})
}

// Forks returns the sessions that were forked from a session, the oldest first, those in the trash
// included. The session itself may be gone.
func (s *Store) Forks(ctx context.Context, session string) ([]Session, error) {
	return inTx(ctx, s.view, "find the forks", func(t *tx) []Session {
		return plainSessions(readSessions(t, `sessions WHERE parent = ? AND parent <> '' ORDER BY n`, session))
	})
}

// forked matches the end of the title of a fork.
var forked = regexp.MustCompile(` \(fork(?: \d+)?\)$`)

// forkTitle is a session's title with the first "(fork)", "(fork 2)" … behind it that is not taken. A
// fork of a fork says so once. A session without a title has a fork without one.
func forkTitle(title string, taken []string) string {
	if title == "" {
		return ""
	}
	title = forked.ReplaceAllString(title, "")
	fork := title + " (fork)"
	for n := 2; slices.Contains(taken, fork); n++ {
		fork = title + " (fork " + strconv.Itoa(n) + ")"
	}
	return fork
}

// Origin is where a session was forked from.
type Origin struct {
	Parent Session // the session, without an ID where there is none or it is gone
	Copied int     // how many of the session's first messages are copies
}

// Origin returns where a session was forked from. Where its parent is gone, what was said up to the fork
// is taken for copied.
func (s *Store) Origin(ctx context.Context, session string) (Origin, error) {
	return inTx(ctx, s.view, "find where the session was forked from", func(t *tx) (out Origin) {
		row := sessionByID(t, session)
		if row.Parent == "" {
			return out
		}
		parents := readSessions(t, `sessions WHERE id = ?`, row.Parent)
		if len(parents) > 0 {
			out.Parent = parents[0].Session
			out.Copied = len(t.ids(branchUp+" SELECT id FROM branch", row.ForkedAt, parents[0].key, -1))
		}
		if out.Copied == 0 { // those that are not younger than the fork
			out.Copied = value[int](t, `
				SELECT coalesce(
					(SELECT min(seq) - 1 FROM messages WHERE session = ?1 AND created_ms > ?2),
					(SELECT max(seq) FROM messages WHERE session = ?1),
					0)`, row.key, milliseconds(row.Created))
		}
		return out
	})
}

// forking is a fork within its transaction: the key of the session that it is made of and its own, and the
// messages to copy in order.
//
// The copies have ids that follow one another, as a branch has: the copy of the message at place i has
// the id first + i*idStep.
type forking struct {
	*tx
	s        *Store
	from, to int64
	branch   []int64
	first    int64
}

// copy fills the new session. A copy has every column of its table.
func (f *forking) copy() {
	f.first = f.s.newIDs(f.tx, len(f.branch))
	const copied = ":first + :step * b.key"
	for _, table := range []struct {
		name, of string
		changed  map[string]string // what the copies have in some columns
	}{
		{"messages", "id", map[string]string{
			"id":      copied,
			"session": ":fork",
			"seq":     "1 + b.key",
			"parent":  "iif(b.key = 0, 0, :first + :step * (b.key - 1))",
			"status":  "iif(row.status = 'streaming', 'interrupted', row.status)",
			"request": "0",
			"owner":   "''",
		}},
		{"tool_calls", "message", map[string]string{"id": "NULL", "message": copied}},
		{"parts", "message", map[string]string{"id": "NULL", "message": copied}},
	} {
		columns := list[string](f.tx, `SELECT name FROM pragma_table_info(?)`, table.name)
		values := make([]string, len(columns))
		for i, c := range columns {
			values[i] = cmp.Or(table.changed[c], "row."+c)
		}
		f.run(fmt.Sprintf(`
			INSERT INTO %[1]s (%[2]s)
			SELECT %[3]s
			FROM json_each(:branch) b
			CROSS JOIN %[1]s row ON row.%[4]s = b.value
			ORDER BY b.key`, table.name, strings.Join(columns, ", "), strings.Join(values, ", "), table.of))
	}
	f.run(`
		UPDATE sessions
		SET messages = json_array_length(:branch),
			turns = (SELECT count(*) FROM messages WHERE session = :fork AND role = 'user'),
			leaf = :first + :step * (json_array_length(:branch) - 1)
		WHERE n = :fork`)
	f.summaries()
	for _, r := range readRows[RegisterLine](f.tx, `registers
		WHERE session = ? AND name IN ('flag', 'remedy') AND item IN (SELECT value FROM json_each(?))
		ORDER BY item`, f.from, sqlite.IDs(f.branch)) {
		f.s.setRegister(f.tx, f.to, f.copyOf(r.Item), r.Name, r.Value)
	}
	var copies []int64
	for _, message := range f.branch {
		copies = append(copies, f.copyOf(message))
	}
	indexNew(f.tx, copies)
}

// run runs a step of the fork. :branch lists the messages to copy, and a message's key in that list is its
// place, from 0.
func (f *forking) run(query string) {
	f.exec(query,
		sql.Named("branch", sqlite.IDs(f.branch)),
		sql.Named("first", f.first),
		sql.Named("step", idStep),
		sql.Named("fork", f.to))
}

// summaries copies the summaries that stand for messages of the branch.
func (f *forking) summaries() {
	for _, l := range readRows[Summary](f.tx, `summaries
		WHERE session = ?1
			AND first IN (SELECT value FROM json_each(?2))
			AND last IN (SELECT value FROM json_each(?2))
		ORDER BY id`, f.from, sqlite.IDs(f.branch)) {
		if !inOrder(l.Sources) {
			continue
		}
		l.ID = f.s.newID(f.tx)
		for i, run := range l.Sources {
			l.Sources[i] = [2]int64{f.copyOf(run[0]), f.copyOf(run[1])}
		}
		insertSummary(f.tx, f.to, &l)
	}
}

// copyOf is the id of the copy of a message of the branch.
func (f *forking) copyOf(message int64) int64 {
	place, _ := slices.BinarySearch(f.branch, message)
	return f.first + int64(place)*idStep
}
