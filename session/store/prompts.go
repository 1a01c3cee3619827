package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"

	"winnow/history"
	"winnow/session/store/sqlite"
)

// Draft is a text as it is in the composer.
type Draft struct {
	Text  string         // in full
	Folds []Fold         // what of it is shown as one thing, in the order of the text
	Parts []history.Part // the files that have a sum and no path, in the order of their folds; prompts have none
}

// Fold is what a draft shows as one thing: a long paste, or a file that hangs on the draft.
type Fold struct {
	From int    `json:"from"` // bytes of the text; a file is none of them, and From is To
	To   int    `json:"to"`
	Path string `json:"path,omitempty"` // of a file, "" for a paste
	Sum  string `json:"sum,omitempty"`  // of what was attached: SHA-256, in hexadecimal
}

// Limits of the history of prompts.
const (
	promptBytes = 8 << 20 // what it keeps; the oldest prompts beyond that are removed
	headBytes   = 1 << 10 // of each prompt that Prompts returns
)

// Prompt is an entry of the history of prompts.
type Prompt struct {
	ID   int64
	Head Draft // the first bytes of its text, all of it where Whole is true, and its folds
	Size int   // of the whole text, in bytes
	Hash [sha256.Size]byte
}

// Whole reports whether Head is the whole prompt.
func (p Prompt) Whole() bool { return len(p.Head.Text) == p.Size }

// Hash identifies a draft: equal drafts have equal hashes.
func (d Draft) Hash() [sha256.Size]byte { return promptHash([]byte(d.Text), folded(d.Folds)) }

func promptHash(text []byte, files string) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write([]byte(files))
	h.Write([]byte{0})
	h.Write(text)
	h.Sum(sum[:0])
	return sum
}

// AddPrompt adds what was sent in a session to the history of prompts, unless it equals the newest
// prompt. It removes the oldest prompts beyond the limit. An empty session is the chat that has not begun.
func (s *Store) AddPrompt(ctx context.Context, session string, d Draft) error {
	d.Text, d.Folds = s.cleanDraft(d.Text, slices.DeleteFunc(slices.Clone(d.Folds), Fold.unnamed))
	return s.jot(ctx, "save the prompt", func(tx *sql.Tx) error {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return err
		}
		hash, files := d.Hash(), folded(d.Folds)
		// The same text sent in another session becomes that session's: purging either must remove it.
		err = execute(ctx, tx, `
			INSERT INTO prompts (created_ms, text, files, session, hash)
			SELECT ?1, ?2, ?3, ?4, ?5
			WHERE NOT EXISTS (
				SELECT 1
				FROM prompts
				WHERE id = (SELECT max(id) FROM prompts)
					AND session IS ?4
					AND hash = ?5)`,
			s.now().UnixMilli(), []byte(d.Text), []byte(files), sql.NullInt64{Int64: n, Valid: n != 0}, hash[:])
		if err != nil {
			return err
		}
		return execute(ctx, tx, `
			DELETE FROM prompts
			WHERE id < (SELECT max(id) FROM prompts)
				AND id <= (
					SELECT max(id)
					FROM (
						SELECT
							id,
							sum(length(text) + length(files)) OVER (ORDER BY id DESC) AS upto
						FROM prompts
					)
					WHERE upto > ?)`, promptBytes)
	})
}

// Prompts returns the beginnings of the newest limit prompts with an id above after, the newest first;
// limit 0 is all of them.
func (s *Store) Prompts(ctx context.Context, after int64, limit int) ([]Prompt, error) {
	if limit <= 0 {
		limit = -1
	}
	return inTx(ctx, s.view, "read the prompts", func(tx *sql.Tx) ([]Prompt, error) {
		return sqlite.Collect(ctx, tx, scanPrompt, `
			SELECT
				id,
				substr(text, 1, ?),
				length(text),
				files,
				hash
			FROM prompts
			WHERE id > ?
			ORDER BY id DESC
			LIMIT ?`, headBytes, after, limit)
	})
}

func scanPrompt(scan func(...any) error) (Prompt, error) {
	var p Prompt
	var text, hash sql.RawBytes
	var files string
	if err := scan(&p.ID, &text, &p.Size, &files, &hash); err != nil {
		return p, err
	}
	if len(hash) == len(p.Hash) {
		p.Hash = [sha256.Size]byte(hash)
	} else {
		p.Hash = promptHash(text, files)
	}
	p.Head = Draft{Text: string(text[:min(len(text), headBytes)]), Folds: foldsOf(files, p.Size)}
	return p, nil
}

// Prompt returns a prompt of the history. It returns ErrNotFound for one that was removed meanwhile.
func (s *Store) Prompt(ctx context.Context, id int64) (Draft, error) {
	var text, files string
	err := s.view(ctx, "read the prompt", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `
			SELECT
				text,
				files
			FROM prompts
			WHERE id = ?`, id).Scan(&text, &files)
		return found("read the prompt", err)
	})
	return draftOf(text, files), err
}

// SaveDraft keeps what is unsent in a session's composer; "" without a file empties it. An empty
// session is the chat that has not begun.
func (s *Store) SaveDraft(ctx context.Context, session string, d Draft) error {
	text, folds := s.cleanDraft(d.Text, d.Folds)
	m := s.cleanMessage(Message{Message: history.Message{Parts: slices.Concat([]history.Part{}, d.Parts)}})
	parts, err := json.Marshal(m.Parts)
	if err != nil {
		return fmt.Errorf("write the files of the draft: %w", err)
	}
	return s.jot(ctx, "keep the draft", func(tx *sql.Tx) error {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return err
		}
		if text == "" && len(folds) == 0 {
			return execute(ctx, tx, `DELETE FROM drafts WHERE session = ?`, n)
		}
		return sqlite.Upsert(ctx, tx, "drafts", "session",
			sql.Named("session", n),
			sql.Named("updated_ms", s.now().UnixMilli()),
			sql.Named("text", []byte(text)),
			sql.Named("files", folded(folds)),
			sql.Named("parts", parts))
	})
}

// Draft returns what is unsent in a session's composer, with no text for nothing.
func (s *Store) Draft(ctx context.Context, session string) (Draft, error) {
	return inTx(ctx, s.view, "read the draft", func(tx *sql.Tx) (Draft, error) {
		n, err := draftKey(ctx, tx, session)
		if err != nil {
			return Draft{}, err
		}
		var out Draft
		err = sqlite.EachRow(ctx, tx, "drafts WHERE session = ?", func(row *DraftLine) error {
			out = draftOf(string(row.Text), string(row.Files))
			if json.Unmarshal([]byte(row.Parts), &out.Parts) != nil || len(out.Parts) == 0 {
				out.Parts = nil // The text matters more.
			}
			return nil
		}, n)
		return out, err
	})
}

// folded is what a draft's column says of what is folded in it.
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

func draftOf(text, files string) Draft {
	return Draft{Text: text, Folds: foldsOf(files, len(text))}
}

// foldsOf reads the folds of a text of size bytes. Folds that the text has no place for are left out: the
// text matters more.
func foldsOf(files string, size int) []Fold {
	var folds []Fold
	if json.Unmarshal([]byte(files), &folds) != nil || len(folds) == 0 {
		return nil
	}
	at := 0
	for _, f := range folds {
		if f.From < at || f.To < f.From || f.To > size {
			return nil
		}
		at = f.To
	}
	return slices.Clip(folds)
}

func draftKey(ctx context.Context, tx *sql.Tx, session string) (int64, error) {
	if session == "" {
		return 0, nil
	}
	return sessionKey(ctx, tx, session)
}
