package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
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
	return inTx(ctx, s.save, "fork the session", func(tx *sql.Tx) (Session, error) {
		from, err := sessionKey(ctx, tx, session)
		if err != nil {
			return Session{}, err
		}
		f := forking{s: s, tx: tx, from: from}
		if f.branch, err = branchIDs(ctx, tx, from, message); err != nil {
			return Session{}, err
		}
		if f.to, err = s.addFork(ctx, tx, from, message); err != nil {
			return Session{}, err
		}
		if err := f.copy(ctx); err != nil {
			return Session{}, err
		}
		if err := s.use(ctx, tx, f.to); err != nil {
			return Session{}, err
		}
		out, err := sessionByKey(ctx, tx, f.to)
		return out.Session, err
	})
}

// Forks returns the sessions that were forked from a session, the oldest first, those in the trash
// included. The session itself may be gone.
func (s *Store) Forks(ctx context.Context, session string) ([]Session, error) {
	return inTx(ctx, s.view, "find the forks", func(tx *sql.Tx) ([]Session, error) {
		return plainSessions(readSessions(ctx, tx, `sessions WHERE parent = ? AND parent <> '' ORDER BY n`, session))
	})
}

// addFork inserts the row of a fork, without what its messages decide, and returns its key.
func (s *Store) addFork(ctx context.Context, tx *sql.Tx, session, message int64) (int64, error) {
	row, err := sessionByKey(ctx, tx, session)
	if err != nil {
		return 0, err
	}
	taken, err := sqlite.Collect(ctx, tx, sqlite.Only[string], `SELECT title FROM sessions WHERE parent = ?`, row.ID)
	if err != nil {
		return 0, err
	}
	fork := row.Session
	fork.ID, fork.Title, fork.Parent, fork.ForkedAt = "", forkTitle(row.Title, taken), row.ID, message
	fork.Created, fork.Pinned, fork.Archived, fork.Source, fork.Origin = time.Time{}, false, false, "", ""
	return s.addSession(ctx, tx, fork)
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
	return withSession(ctx, s.view, "find where the session was forked from", session, func(tx *sql.Tx, n int64) (out Origin, err error) {
		row, err := sessionByKey(ctx, tx, n)
		if err != nil || row.Parent == "" {
			return out, err
		}
		var branch []int64
		parent, err := sessionByID(ctx, tx, row.Parent)
		if err == nil {
			out.Parent = parent.Session
			branch, err = branchIDs(ctx, tx, parent.key, row.ForkedAt)
			out.Copied = len(branch)
		}
		if errors.Is(err, ErrNotFound) {
			out.Copied, err = countUntil(ctx, tx, n, row.Created)
		}
		return out, err
	})
}

// countUntil counts the first messages of a session that are not younger than a time.
func countUntil(ctx context.Context, tx *sql.Tx, session int64, until time.Time) (int, error) {
	var n int
	err := tx.QueryRowContext(ctx, `
		SELECT coalesce(
			(SELECT min(seq) - 1 FROM messages WHERE session = ?1 AND created_ms > ?2),
			(SELECT max(seq) FROM messages WHERE session = ?1),
			0)`, session, milliseconds(until)).Scan(&n)
	return n, err
}

// forking is a fork within its transaction: the key of the session that it is made of and its own, and the
// messages to copy in order.
//
// The copies have ids that follow one another, as a branch has: the copy of the message at place i has
// the id first + i*idStep.
type forking struct {
	s        *Store
	tx       *sql.Tx
	from, to int64
	branch   []int64
	first    int64
}

// copy fills the new session. A copy has every column of its table.
func (f *forking) copy(ctx context.Context) error {
	var err error
	if f.first, err = f.s.newIDs(ctx, f.tx, len(f.branch)); err != nil {
		return err
	}
	const ofBranch = "json_each(:branch) b CROSS JOIN %s row ON row.%s = b.value ORDER BY b.key"
	for _, copied := range []struct {
		table, from string
		changed     map[string]string // what the copies have in some columns
	}{
		{"messages", fmt.Sprintf(ofBranch, "messages", "id"), map[string]string{
			"id":      ":first + :step * b.key",
			"session": ":fork",
			"seq":     "1 + b.key",
			"parent":  "iif(b.key = 0, 0, :first + :step * (b.key - 1))",
			"status":  "iif(row.status = 'streaming', 'interrupted', row.status)",
			"request": "0",
			"owner":   "''",
		}},
		{"tool_calls", fmt.Sprintf(ofBranch, "tool_calls", "message"), map[string]string{"id": "NULL", "message": ":first + :step * b.key"}},
		{"parts", fmt.Sprintf(ofBranch, "parts", "message"), map[string]string{"id": "NULL", "message": ":first + :step * b.key"}},
		{"flags", fmt.Sprintf(ofBranch, "flags", "message"), map[string]string{"message": ":first + :step * b.key"}},
		{"remedies", fmt.Sprintf(ofBranch, "remedies", "message"), map[string]string{"message": ":first + :step * b.key"}},
	} {
		columns, err := sqlite.TableColumns(ctx, f.tx, copied.table)
		if err != nil {
			return err
		}
		values := make([]string, len(columns))
		for i, c := range columns {
			values[i] = cmp.Or(copied.changed[c], "row."+c)
		}
		err = f.exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s",
			copied.table, strings.Join(columns, ", "), strings.Join(values, ", "), copied.from))
		if err != nil {
			return err
		}
	}
	err = f.exec(ctx, `
		UPDATE sessions
		SET messages = json_array_length(:branch),
			turns = (SELECT count(*) FROM messages WHERE session = :fork AND role = 'user'),
			leaf = :first + :step * (json_array_length(:branch) - 1)
		WHERE n = :fork`)
	if err != nil {
		return err
	}
	for _, copied := range []func(context.Context) error{f.summaries, f.decisions} {
		if err := copied(ctx); err != nil {
			return err
		}
	}
	copies := make([]int64, len(f.branch))
	for i := range copies {
		copies[i] = f.first + int64(i)*idStep
	}
	return indexNew(ctx, f.tx, copies)
}

// summaries copies the summaries that stand for messages of the branch.
func (f *forking) summaries(ctx context.Context) error {
	all, err := readRows[Summary](ctx, f.tx, `summaries
		WHERE session = ?1
			AND first IN (SELECT value FROM json_each(?2))
			AND last IN (SELECT value FROM json_each(?2))
		ORDER BY id`, f.from, sqlite.IDs(f.branch))
	if err != nil {
		return err
	}
	for _, l := range all {
		if l.ID, err = f.s.newID(ctx, f.tx); err != nil {
			return err
		}
		for i, run := range l.Sources {
			l.Sources[i] = [2]int64{f.copyOf(run[0]), f.copyOf(run[1])}
		}
		if err := insertSummary(ctx, f.tx, f.to, &l); err != nil {
			return err
		}
	}
	return nil
}

// copyOf is the id of the copy of a message of the branch.
func (f *forking) copyOf(message int64) int64 {
	place, _ := slices.BinarySearch(f.branch, message)
	return f.first + int64(place)*idStep
}

// decisions has the other machines told what was decided about the copies.
func (f *forking) decisions(ctx context.Context) error {
	for name, table := range decisionTables {
		decided, err := idsWhere(ctx, f.tx, "SELECT message FROM "+table+" WHERE "+ofSession+" ORDER BY message", f.to)
		if err != nil {
			return err
		}
		for _, message := range decided {
			if err := f.s.setRegister(ctx, f.tx, f.to, message, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// exec runs a step of the fork. :branch lists the messages to copy, and a message's key in that list is its
// place, from 0.
func (f *forking) exec(ctx context.Context, query string) error {
	_, err := f.tx.ExecContext(ctx, query,
		sql.Named("branch", sqlite.IDs(f.branch)),
		sql.Named("first", f.first),
		sql.Named("step", idStep),
		sql.Named("session", f.from),
		sql.Named("fork", f.to))
	return err
}
