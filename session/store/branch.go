package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// branchIDs are the newest limit messages of the branch that ends at leaf, all of them for 0, in order. The limit ends
// the recursion, so the walk costs what it returns.
func branchIDs(t *tx, leaf int64, limit int) []int64 {
	return sqlite.List[int64](t, `
		WITH RECURSIVE branch (id, parent) AS (
			SELECT id, parent
			FROM messages
			WHERE id = ?1
			UNION ALL
			SELECT m.id, m.parent
			FROM branch
			JOIN messages m ON m.id = branch.parent
			LIMIT iif(?2 > 0, ?2, -1)
		)
		SELECT id
		FROM branch
		ORDER BY id`, leaf, limit)
}

// Branch returns the newest limit messages of the branch that ends at leaf, in order, with their calls and parts; limit
// 0 is all of them. Leaf 0 is an empty branch.
func (s *Store) Branch(ctx context.Context, leaf int64, limit int) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(t *tx) []Message {
		return messagesWith(t, branchIDs(t, leaf, limit))
	})
}

// BranchIDs returns the ids of the branch of a session that ends at leaf, in order; none for leaf 0. The error is
// ErrNotFound where the session has no such message.
func (s *Store) BranchIDs(ctx context.Context, session string, leaf int64) ([]int64, error) {
	if leaf == 0 {
		return nil, nil
	}
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []int64 {
		inSession(t, n, leaf)
		return branchIDs(t, leaf, 0)
	})
}

// Replies returns the ids of the messages of a session that follow a message, 0 for those that begin it, the oldest
// first.
func (s *Store) Replies(ctx context.Context, session string, message int64) ([]int64, error) {
	return withSession(ctx, s.view, "read the message's replies", session, func(t *tx, n int64) []int64 {
		return sqlite.List[int64](t, `SELECT id FROM messages WHERE session = ? AND parent = ? ORDER BY id`, n, message)
	})
}

// LeafUnder returns the newest of the messages that were said behind a message, itself where it is the last one: where
// a switch to that message leads.
func (s *Store) LeafUnder(ctx context.Context, message int64) (int64, error) {
	return inTx(ctx, s.view, "find the end of the branch", func(t *tx) int64 {
		leaf := sqlite.Value[int64](t, `
			WITH RECURSIVE under (id, session) AS (
				SELECT id, session
				FROM messages
				WHERE id = ?
				UNION ALL
				SELECT m.id, m.session
				FROM under
				JOIN messages m ON m.session = under.session AND m.parent = under.id
			)
			SELECT coalesce(max(id), 0)
			FROM under`, message)
		if leaf == 0 {
			t.missing("find message %d", message)
		}
		return leaf
	})
}

// turnOf is the turn of a user's message, 0 where it is not here.
func turnOf(t *tx, message int64) int {
	return sqlite.Value[int](t, `
		SELECT count(*)
		FROM messages u
		JOIN messages m ON m.session = u.session AND m.seq <= u.seq
		WHERE u.id = ? AND m.role = 'user'`, message)
}

// Fork copies the branch that ends at a message into a new session: the messages byte for byte with
// their token counts, what the user decided about them, and the summaries that stand for some of
// them. The session's settings and tags come along; its title names it a fork. Parent and
// ForkedAt name where it comes from. The records of requests stay where they were sent, so no copy
// names one. An answer that still arrives in another window is copied as far as it is stored, as interrupted.
func (s *Store) Fork(ctx context.Context, session string, message int64) (Session, error) {
	return inTx(ctx, s.save, "fork the session", func(t *tx) Session {
		row := sessionByKey(t, sessionKey(t, session))
		inSession(t, row.key, message)
		from, branch := row.key, branchIDs(t, message, 0)
		row.Parent, row.ForkedAt, row.ID = row.ID, message, newSessionID()
		if row.Title != "" {
			row.Title = strings.TrimSuffix(row.Title, forkMark) + forkMark
		}
		row.Created, row.Updated, row.Deleted = s.now(), s.now(), time.Time{}
		row.Pinned, row.Archived, row.Source, row.Origin = false, false, "", ""
		copies := map[int64]int64{}
		for _, id := range branch {
			copies[id] = s.newID(t)
		}
		s.apply(t, func(take func(Line) error) error {
			err := take(Line{Session: &row})
			s.eachCopy(t, from, branch, copies, func(l Line) { err = cmp.Or(err, take(l)) })
			return err
		})
		n := sessionThere(t, row.ID)
		s.use(t, n)
		return sessionByKey(t, n)
	})
}

// forkMark is the end of a fork's title.
const forkMark = " (fork)"

// eachCopy makes lines of the copies of a branch: its messages, what the user decided about them, and the summaries
// that stand for some of them. copies has their ids by those of the messages.
func (s *Store) eachCopy(t *tx, session int64, branch []int64, copies map[int64]int64, take func(Line)) {
	ids := sqlite.IDs(branch)
	for m := range eachMessage(t, false, "id"+these, ids) {
		m.ID, m.Parent, m.Request = copies[m.ID], copies[m.Parent], 0
		take(Line{Message: &m})
	}
	const decisions = "registers WHERE session = ? AND item" + these
	for _, r := range readRows[Register](t, decisions, session, ids) {
		r.Stamp, r.Item = s.newID(t), copies[r.Item]
		take(Line{Register: &r})
	}
	for _, m := range readRows[Summary](t, "summaries WHERE session = ? ORDER BY id", session) {
		if !inOrder(m.Sources) || copies[m.Sources[0][0]] == 0 || copies[m.LastMessage()] == 0 {
			continue
		}
		m.ID = s.newID(t)
		for i, run := range m.Sources {
			m.Sources[i] = [2]int64{copies[run[0]], copies[run[1]]}
		}
		take(Line{Summary: &m})
	}
}

// Summary is a text that stands for older messages of a branch. The messages themselves stay.
type Summary struct {
	ID       int64
	Session  string
	Sources  history.IDRanges // the messages that it was made from and stands for
	Messages int              // how many they are
	Endpoint string
	Model    string
	Text     string

	session int64 // its short key
}

func (m *Summary) columns() []column {
	return []column{
		{"id", &m.ID, 0},
		{"session", &m.session, local},
		{"(SELECT id FROM sessions WHERE n = session)", &m.Session, given},
		{"messages", &m.Messages, 0},
		{"endpoint", &m.Endpoint, 0},
		{"model", &m.Model, 0},
		{"sources", &jsonColumn{&m.Sources}, 0},
		{"text", (*blob)(&m.Text), secret},
	}
}

// LastMessage is the newest message that the summary was made from.
func (m *Summary) LastMessage() int64 { return m.Sources[len(m.Sources)-1][1] }

// AddSummary keeps a summary and returns it with its ID.
func (s *Store) AddSummary(ctx context.Context, m Summary) (Summary, error) {
	if len(m.Sources) == 0 {
		return m, errors.New("keep the summary: it says of no message that it stands for it")
	}
	return withSession(ctx, s.save, "keep the summary", m.Session, func(t *tx, n int64) Summary {
		m.Text, m.ID, m.session = s.clean(m.Text), s.newID(t), n
		t.put("INSERT INTO summaries", m.columns(), "")
		return m
	})
}

// Summaries returns the summaries of a session, of every branch, the oldest first. One of which it cannot be
// told what it was made from is left out: it might hold what was excluded.
func (s *Store) Summaries(ctx context.Context, session string) ([]Summary, error) {
	return withSession(ctx, s.view, "read the summaries", session, func(t *tx, n int64) []Summary {
		all := readRows[Summary](t, "summaries WHERE session = ? ORDER BY id", n)
		return slices.DeleteFunc(all, func(m Summary) bool { return !inOrder(m.Sources) })
	})
}

// inOrder reports whether there are runs of ids, each behind the one before.
func inOrder(runs history.IDRanges) bool {
	before := int64(0)
	for _, run := range runs {
		if run[0] <= before || run[1] < run[0] {
			return false
		}
		before = run[1]
	}
	return before > 0
}
