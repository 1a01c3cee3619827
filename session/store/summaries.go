package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
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
}

// Last is the newest message that the summary was made from.
func (m Summary) Last() int64 { return m.Sources[len(m.Sources)-1][1] }

// AddSummary keeps a summary and returns it with its ID.
func (s *Store) AddSummary(ctx context.Context, m Summary) (Summary, error) {
	if len(m.Sources) == 0 {
		return m, errors.New("keep the summary: it says of no message that it stands for it")
	}
	m.Text = s.clean(m.Text)
	err := s.save(ctx, "keep the summary", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, m.Session)
		if err != nil {
			return err
		}
		m.ID, err = sqlite.Insert(ctx, tx, "summaries",
			sql.Named("session", n),
			sql.Named("first", m.Sources[0][0]),
			sql.Named("last", m.Last()),
			sql.Named("messages", m.Messages),
			sql.Named("created_ms", s.now().UnixMilli()),
			sql.Named("endpoint", m.Endpoint),
			sql.Named("model", m.Model),
			sql.Named("text", []byte(m.Text)),
			sql.Named("sources", MessageRuns(m.Sources)))
		return err
	})
	return m, err
}

// Summaries returns the summaries of a session, of every branch, the oldest first. One of which it cannot be
// told what it was made from is left out: it might hold what was excluded.
func (s *Store) Summaries(ctx context.Context, session string) ([]Summary, error) {
	all, err := answers(ctx, s, question{doing: "read the summaries", session: session, query: `
		SELECT
			id,
			sources,
			messages,
			endpoint,
			model,
			text
		FROM summaries
		WHERE session = ?
		ORDER BY id`}, func(scan func(...any) error) (Summary, error) {
		m := Summary{Session: session}
		err := scan(&m.ID, (*MessageRuns)(&m.Sources), &m.Messages, &m.Endpoint, &m.Model, &m.Text)
		return m, err
	})
	return slices.DeleteFunc(all, func(m Summary) bool { return len(m.Sources) == 0 }), err
}

// MessageRuns are runs of ids of messages in a column, which holds them as JSON.
type MessageRuns history.IDs

// Value is the column's text.
func (r MessageRuns) Value() (driver.Value, error) { return history.IDs(r).String(), nil }

// Scan reads the column's text. There are no runs where they are damaged.
func (r *MessageRuns) Scan(text any) error {
	*r = nil
	var runs MessageRuns
	if text, ok := text.(string); !ok || json.Unmarshal([]byte(text), &runs) != nil {
		return nil
	}
	before := int64(0)
	for _, run := range runs {
		if run[0] <= before || run[1] < run[0] {
			return nil
		}
		before = run[1]
	}
	*r = runs
	return nil
}
