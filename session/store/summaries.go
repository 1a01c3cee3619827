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
	var list []Summary
	err := s.view(ctx, "read the summaries", func(tx *sql.Tx) error {
		list = nil
		n, err := sessionKey(ctx, tx, session)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `
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
			ORDER BY id`, n)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			m := Summary{Session: session}
			if err := rows.Scan(&m.ID, &m.First, &m.Last, &m.Messages, &m.Endpoint, &m.Model, &m.Text); err != nil {
				return err
			}
			list = append(list, m)
		}
		return rows.Err()
	})
	return list, err
}
