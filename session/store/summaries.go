package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Summary is a text that stands for older messages of a branch. The messages themselves stay.
type Summary struct {
	ID       int64 `db:"id,null"`
	Session  string
	Sources  history.IDs // the messages that it was made from and stands for
	Messages int         `db:"messages"` // how many they are
	Endpoint string      `db:"endpoint"`
	Model    string      `db:"model"`
	Text     string      `db:"text,blob"`
}

// summaryRow is a summary with its sources as the table has them.
type summaryRow struct {
	Summary
	Runs MessageRuns `db:"sources"`
}

// LastMessage is the newest message that the summary was made from.
func (m Summary) LastMessage() int64 { return m.Sources[len(m.Sources)-1][1] }

// AddSummary keeps a summary and returns it with its ID.
func (s *Store) AddSummary(ctx context.Context, m Summary) (Summary, error) {
	if len(m.Sources) == 0 {
		return m, errors.New("keep the summary: it says of no message that it stands for it")
	}
	m.Text = s.clean(m.Text)
	return withSession(ctx, s.save, "keep the summary", m.Session, func(tx *sql.Tx, n int64) (Summary, error) {
		m := m
		var err error
		if m.ID, err = s.newID(ctx, tx); err != nil {
			return m, err
		}
		_, err = sqlite.InsertRow(ctx, tx, "summaries", summaryRow{m, MessageRuns(m.Sources)},
			sql.Named("session", n),
			sql.Named("first", m.Sources[0][0]),
			sql.Named("last", m.LastMessage()),
			sql.Named("created_ms", s.now().UnixMilli()))
		return m, err
	})
}

// Summaries returns the summaries of a session, of every branch, the oldest first. One of which it cannot be
// told what it was made from is left out: it might hold what was excluded.
func (s *Store) Summaries(ctx context.Context, session string) ([]Summary, error) {
	return withSession(ctx, s.view, "read the summaries", session, func(tx *sql.Tx, n int64) ([]Summary, error) {
		var all []Summary
		err := sqlite.EachRow(ctx, tx, "summaries WHERE session = ? ORDER BY id", func(row *summaryRow) error {
			if len(row.Runs) > 0 {
				row.Session, row.Sources = session, history.IDs(row.Runs)
				all = append(all, row.Summary)
			}
			return nil
		}, n)
		return all, err
	})
}

// MessageRuns are runs of ids of messages in a column, which holds them as JSON.
type MessageRuns history.IDs

// Value is the column's text.
func (r MessageRuns) Value() (driver.Value, error) {
	text, err := json.Marshal(r)
	return string(text), err
}

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
