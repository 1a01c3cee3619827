package store

import (
	"context"
	"database/sql"
	"errors"
)

// AddPrompt keeps a text for the history of prompts. The same text twice in a row is kept once.
func (s *Store) AddPrompt(ctx context.Context, text string) error {
	return s.jot(ctx, "keep the prompt", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO prompts (created_ms, text)
			SELECT ?1, ?2
			WHERE ?2 IS NOT (SELECT text FROM prompts ORDER BY id DESC LIMIT 1)`, s.now().UnixMilli(), []byte(text))
		return err
	})
}

// Prompts returns the newest limit prompts, the newest first; limit 0 is all of them.
func (s *Store) Prompts(ctx context.Context, limit int) ([]string, error) {
	if limit <= 0 {
		limit = -1
	}
	var out []string
	err := s.view(ctx, "read the prompts", func(tx *sql.Tx) error {
		out = nil
		rows, err := tx.QueryContext(ctx, `
			SELECT text
			FROM prompts
			ORDER BY id DESC
			LIMIT ?`, limit)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var text string
			if err := rows.Scan(&text); err != nil {
				return err
			}
			out = append(out, text)
		}
		return rows.Err()
	})
	return out, err
}

// SaveDraft keeps what stands unsent in a session's composer; "" empties it. An empty session is
// the chat that has not begun.
func (s *Store) SaveDraft(ctx context.Context, session, text string) error {
	return s.jot(ctx, "keep the draft", func(tx *sql.Tx) error {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return err
		}
		if text == "" {
			_, err = tx.ExecContext(ctx, `DELETE FROM drafts WHERE session = ?`, n)
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO drafts (session, updated_ms, text)
			VALUES (?1, ?2, ?3)
			ON CONFLICT (session) DO UPDATE
			SET updated_ms = ?2,
				text = ?3`, n, s.now().UnixMilli(), []byte(text))
		return err
	})
}

// Draft returns what stands unsent in a session's composer, "" for nothing.
func (s *Store) Draft(ctx context.Context, session string) (string, error) {
	var text string
	err := s.view(ctx, "read the draft", func(tx *sql.Tx) error {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `
			SELECT text
			FROM drafts
			WHERE session = ?`, n).Scan(&text)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return text, err
}

func draftKey(ctx context.Context, tx *sql.Tx, session string) (int64, error) {
	if session == "" {
		return 0, nil
	}
	return sessionKey(ctx, tx, session)
}
