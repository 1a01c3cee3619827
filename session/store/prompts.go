package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
)

// Draft is a text as it stands in the composer.
type Draft struct {
	Text  string // in full
	Folds []Fold // what of it is shown as one thing, in the order of the text
}

// Fold is what a draft shows as one thing: a long paste, or a file that hangs on the draft.
type Fold struct {
	From int    `json:"from"` // bytes of the text; a file is none of them, and From is To
	To   int    `json:"to"`
	Path string `json:"path,omitempty"` // of a file, "" for a paste
	Sum  string `json:"sum,omitempty"`  // of what was attached: SHA-256, in hexadecimal
}

// AddPrompt keeps a text for the history of prompts. The same text twice in a row is kept once.
func (s *Store) AddPrompt(ctx context.Context, text string, folds ...Fold) error {
	return s.jot(ctx, "keep the prompt", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO prompts (created_ms, text, files)
			SELECT ?1, ?2, ?3
			WHERE NOT EXISTS (
				SELECT 1
				FROM prompts
				WHERE id = (SELECT max(id) FROM prompts) AND text = ?2 AND files = ?3)`,
			s.now().UnixMilli(), []byte(text), []byte(folded(folds)))
		return err
	})
}

// Prompts returns the newest limit prompts, the newest first; limit 0 is all of them.
func (s *Store) Prompts(ctx context.Context, limit int) ([]Draft, error) {
	if limit <= 0 {
		limit = -1
	}
	var out []Draft
	err := s.view(ctx, "read the prompts", func(tx *sql.Tx) error {
		var err error
		out, err = collect(ctx, tx, func(scan func(...any) error) (Draft, error) {
			var text, files string
			err := scan(&text, &files)
			return draftOf(text, files), err
		}, `
			SELECT
				text,
				files
			FROM prompts
			ORDER BY id DESC
			LIMIT ?`, limit)
		return err
	})
	return out, err
}

// SaveDraft keeps what stands unsent in a session's composer; "" without a file empties it. An empty
// session is the chat that has not begun.
func (s *Store) SaveDraft(ctx context.Context, session, text string, folds ...Fold) error {
	return s.jot(ctx, "keep the draft", func(tx *sql.Tx) error {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return err
		}
		if text == "" && len(folds) == 0 {
			_, err = tx.ExecContext(ctx, `DELETE FROM drafts WHERE session = ?`, n)
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO drafts (session, updated_ms, text, files)
			VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (session) DO UPDATE
			SET updated_ms = ?2,
				text = ?3,
				files = ?4`, n, s.now().UnixMilli(), []byte(text), folded(folds))
		return err
	})
}

// Draft returns what stands unsent in a session's composer, with no text for nothing.
func (s *Store) Draft(ctx context.Context, session string) (Draft, error) {
	var text, files string
	err := s.view(ctx, "read the draft", func(tx *sql.Tx) error {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return err
		}
		err = tx.QueryRowContext(ctx, `
			SELECT
				text,
				files
			FROM drafts
			WHERE session = ?`, n).Scan(&text, &files)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	return draftOf(text, files), err
}

// folded is what a draft's column says of what stands folded in it.
func folded(folds []Fold) string {
	if len(folds) == 0 {
		return "[]"
	}
	text, err := json.Marshal(folds)
	if err != nil {
		panic(err) // numbers and texts always marshal
	}
	return string(text)
}

// draftOf reads a draft. Folds that the text has no place for are left out: the text matters more.
func draftOf(text, files string) Draft {
	d := Draft{Text: text}
	var folds []Fold
	if json.Unmarshal([]byte(files), &folds) != nil {
		return d
	}
	at := 0
	for _, f := range folds {
		if f.From < at || f.To < f.From || f.To > len(text) {
			return d
		}
		at = f.To
	}
	d.Folds = slices.Clip(folds)
	if len(folds) == 0 {
		d.Folds = nil
	}
	return d
}

func draftKey(ctx context.Context, tx *sql.Tx, session string) (int64, error) {
	if session == "" {
		return 0, nil
	}
	return sessionKey(ctx, tx, session)
}
