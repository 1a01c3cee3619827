package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"winnow/history"
)

// Summary is a text that stands for older messages of a branch. The messages themselves stay.
type Summary struct {
	ID       int64
	Session  string
	Sources  history.IDs // the messages that it was made from and stands for
	Messages int         // how many they are
	Endpoint string
	Model    string
	Text     string

	session     int64 // its short key
	first, last int64 // the oldest and the newest of Sources
	created     time.Time
}

func (m *Summary) columns() []column {
	return []column{
		{"id", &m.ID, 0},
		{"session", &m.session, local},
		{"first", &m.first, local},
		{"last", &m.last, local},
		{"messages", &m.Messages, 0},
		{"created_ms", (*millis)(&m.created), 0},
		{"endpoint", &m.Endpoint, 0},
		{"model", &m.Model, 0},
		{"sources", &asJSON{&m.Sources}, 0},
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
		m := m
		m.Text, m.created, m.ID, m.session = s.clean(m.Text), s.now(), s.newID(t), n
		m.insert(t)
		return m
	})
}

func (m *Summary) insert(t *tx) {
	m.first, m.last = m.Sources[0][0], m.LastMessage()
	t.put("INSERT INTO summaries", m.columns())
}

// Summaries returns the summaries of a session, of every branch, the oldest first. One of which it cannot be
// told what it was made from is left out: it might hold what was excluded.
func (s *Store) Summaries(ctx context.Context, session string) ([]Summary, error) {
	return withSession(ctx, s.view, "read the summaries", session, func(t *tx, n int64) []Summary {
		all := readRows[Summary](t, "summaries WHERE session = ? ORDER BY id", n)
		for i := range all {
			all[i].Session = session
		}
		return slices.DeleteFunc(all, func(m Summary) bool { return !inOrder(m.Sources) })
	})
}

// inOrder reports whether there are runs of ids, each behind the one before.
func inOrder(runs history.IDs) bool {
	before := int64(0)
	for _, run := range runs {
		if run[0] <= before || run[1] < run[0] {
			return false
		}
		before = run[1]
	}
	return before > 0
}
