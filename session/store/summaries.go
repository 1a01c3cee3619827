package store

import (
	"context"
	"database/sql"
)

// Summary is a text that stands for the oldest messages of a branch. The messages themselves stay.
type Summary struct {
	ID       int64
	Session  string
	First    int64 // the oldest message that it stands for
	Last     int64 // the newest
	Messages int   // how many they are
	Endpoint string
	Model    string
	Text     string
}

// AddSummary keeps a summary and returns it with its ID.
func (s *Store) AddSummary(ctx context.Context, m Summary) (Summary, error) {
	err := s.save(ctx, "keep the summary", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, m.Session)
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			INSERT INTO summaries (session, first, last, messages, created_ms, endpoint, model, text)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			n, m.First, m.Last, m.Messages, s.now().UnixMilli(), m.Endpoint, m.Model, []byte(m.Text))
		if err != nil {
			return err
		}
		m.ID, err = result.LastInsertId()
		return err
	})
	return m, err
}

// Summaries returns the summaries of a session, of every branch, the oldest first.
func (s *Store) Summaries(ctx context.Context, session string) ([]Summary, error) {
	return answers(ctx, s, question{doing: "read the summaries", session: session, query: `
		SELECT
			id,
			first,
			last,
			messages,
			endpoint,
			model,
			text
		FROM summaries
		WHERE session = ?
		ORDER BY id`}, func(scan func(...any) error) (Summary, error) {
		m := Summary{Session: session}
		err := scan(&m.ID, &m.First, &m.Last, &m.Messages, &m.Endpoint, &m.Model, &m.Text)
		return m, err
	})
}
