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

// branchIDs returns the ids of the newest limit messages of the branch that ends at leaf, oldest first; limit 0 returns
// all of them. The limit ends the recursion, so the cost depends on what is returned, not on the length of the branch.
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

// Branch returns the newest limit messages of the branch that ends at leaf, oldest first, with their tool calls and
// parts. Limit 0 returns all of them; leaf 0 is an empty branch.
func (s *Store) Branch(ctx context.Context, leaf int64, limit int) ([]Message, error) {
	return inTx(ctx, s.view, "read the messages", func(t *tx) []Message {
		return messagesByID(t, branchIDs(t, leaf, limit))
	})
}

// BranchIDs returns the ids of the messages of the branch that ends at leaf, oldest first. For leaf 0 it returns none.
// The error is ErrNotFound if leaf is not a message of the session.
func (s *Store) BranchIDs(ctx context.Context, session string, leaf int64) ([]int64, error) {
	if leaf == 0 {
		return nil, nil
	}
	return withSession(ctx, s.view, "read the messages", session, func(t *tx, n int64) []int64 {
		inSession(t, n, leaf)
		return branchIDs(t, leaf, 0)
	})
}

// Replies returns the ids of the messages whose parent is message, oldest first. For message 0 it returns the first
// messages of the session's branches.
func (s *Store) Replies(ctx context.Context, session string, message int64) ([]int64, error) {
	return withSession(ctx, s.view, "read the message's replies", session, func(t *tx, n int64) []int64 {
		return sqlite.List[int64](t, `SELECT id FROM messages WHERE session = ? AND parent = ? ORDER BY id`, n, message)
	})
}

// NewestDescendant returns the newest message below a message in the tree of branches, or the message itself if nothing
// follows it. Switching to a message makes its newest descendant the leaf.
func (s *Store) NewestDescendant(ctx context.Context, message int64) (int64, error) {
	return inTx(ctx, s.view, "find the end of the branch", func(t *tx) int64 {
		leaf := sqlite.QueryValue[int64](t, `
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
			t.notFound("find message %d", message)
		}
		return leaf
	})
}

// turnOf returns the number of the turn that a user message begins, from 1, or 0 if there is no such message.
func turnOf(t *tx, message int64) int {
	return sqlite.QueryValue[int](t, `
		SELECT count(*)
		FROM messages u
		JOIN messages m ON m.session = u.session AND m.seq <= u.seq
		WHERE u.id = ? AND m.role = 'user'`, message)
}

// Fork copies the branch that ends at message into a new session. It copies the messages byte for byte with their token
// counts, flags, remedies and summaries, and the session's settings and tags. The title gets a suffix, and Parent and
// ForkedAt name the origin. Request records are not copied, so the copies refer to no request. An answer that is still
// streaming in another window is copied as far as it is stored, with the status interrupted.
func (s *Store) Fork(ctx context.Context, session string, message int64) (Session, error) {
	return inTx(ctx, s.save, "fork the chat", func(t *tx) Session {
		row := readSession(t, sessionKey(t, session))
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
		n := findSession(t, row.ID)
		s.markUsed(t, n)
		return readSession(t, n)
	})
}

// forkMark is the suffix of a fork's title.
const forkMark = " (fork)"

// eachCopy passes the copies of a branch to take as lines: the messages, the user's decisions about them, and the
// summaries that cover messages of the branch. copies maps the ids of the messages to the ids of their copies.
func (s *Store) eachCopy(t *tx, session int64, branch []int64, copies map[int64]int64, take func(Line)) {
	ids := sqlite.JSONArray(branch)
	for m := range eachMessage(t, false, "id"+inArray, ids) {
		m.ID, m.Parent, m.Request = copies[m.ID], copies[m.Parent], 0
		take(Line{Message: &m})
	}
	const decisions = "registers WHERE session = ? AND item" + inArray
	for _, r := range readRows[Register](t, decisions, session, ids) {
		r.Stamp, r.Item = s.newID(t), copies[r.Item]
		take(Line{Register: &r})
	}
	for _, m := range readRows[Summary](t, "summaries WHERE session = ? ORDER BY id", session) {
		if !validSources(m.Sources) || copies[m.Sources[0][0]] == 0 || copies[m.LastMessage()] == 0 {
			continue
		}
		m.ID = s.newID(t)
		for i, run := range m.Sources {
			m.Sources[i] = [2]int64{copies[run[0]], copies[run[1]]}
		}
		take(Line{Summary: &m})
	}
}

// Summary is a text that replaces the oldest messages of a branch in requests. The stored messages stay as they are.
type Summary struct {
	ID       int64
	Session  string
	Sources  history.IDRanges // the messages that it was made from and replaces
	Messages int              // the number of those messages
	Endpoint string
	Model    string
	Text     string

	session int64 // the short key of the session
}

func (m *Summary) columns() []column {
	return []column{
		{"id", &m.ID, 0},
		{"session", &m.session, local},
		{"(SELECT id FROM sessions WHERE n = session)", &m.Session, generated},
		{"messages", &m.Messages, 0},
		{"endpoint", &m.Endpoint, 0},
		{"model", &m.Model, 0},
		{"sources", &jsonColumn{&m.Sources}, 0},
		{"text", (*blob)(&m.Text), secret},
	}
}

// LastMessage returns the id of the newest message that the summary was made from.
func (m *Summary) LastMessage() int64 { return m.Sources[len(m.Sources)-1][1] }

// AddSummary stores a summary and returns it with its ID set. It is an error if the summary has no sources.
func (s *Store) AddSummary(ctx context.Context, m Summary) (Summary, error) {
	if len(m.Sources) == 0 {
		return m, errors.New("save the summary: it has no sources")
	}
	return withSession(ctx, s.save, "save the summary", m.Session, func(t *tx, n int64) Summary {
		m.Text, m.ID, m.session = s.clean(m.Text), s.newID(t), n
		t.put("INSERT INTO summaries", m.columns(), "")
		return m
	})
}

// Summaries returns the summaries of all branches of a session, oldest first. It leaves out a summary whose sources
// cannot be read, because that summary might contain an excluded message.
func (s *Store) Summaries(ctx context.Context, session string) ([]Summary, error) {
	return withSession(ctx, s.view, "read the summaries", session, func(t *tx, n int64) []Summary {
		all := readRows[Summary](t, "summaries WHERE session = ? ORDER BY id", n)
		return slices.DeleteFunc(all, func(m Summary) bool { return !validSources(m.Sources) })
	})
}

// validSources reports whether runs is a non-empty list of ascending, non-overlapping runs of ids.
func validSources(runs history.IDRanges) bool {
	before := int64(0)
	for _, run := range runs {
		if run[0] <= before || run[1] < run[0] {
			return false
		}
		before = run[1]
	}
	return before > 0
}
