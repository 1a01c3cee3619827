package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"io"
	"slices"
	"strings"

	"winnow/history"
)

// Draft is a text as it is in the composer.
type Draft struct {
	Text  string         // in full
	Folds []Fold         // what of it is shown as one thing, in the order of the text
	Parts []history.Part // the files that have a sum and no path, in the order of their folds; prompts have none
}

func (d *Draft) columns() []column {
	return []column{
		{"text", blob{&d.Text}, secret},
		{"files", asJSON{in: &d.Folds, none: "[]", lenient: true}, 0},
		{"parts", asJSON{in: &d.Parts, none: "[]", lenient: true}, secretJSON},
	}
}

// redact takes the secrets out of a draft. What is folded has its place in the text: where that changed, the draft
// stands unfolded.
func (d *Draft) redact(clean func(string) string) {
	text := d.Text
	if redactColumns(d.columns(), clean); d.Text != text {
		d.Folds = nil
	}
}

// cleanDraft is a draft without the secrets that must not be stored.
func (s *Store) cleanDraft(d Draft) Draft {
	if s.redact != nil {
		d.Parts = slices.Clone(d.Parts)
		d.redact(s.redact)
	}
	return d
}

// checked is a draft as it was stored. Folds that the text has no place for are left out: the text matters more.
func (d Draft) checked() Draft {
	at := 0
	for _, f := range d.Folds {
		if f.From < at || f.To < f.From || f.To > len(d.Text) {
			d.Folds = nil
			break
		}
		at = f.To
	}
	return d
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
func (d Draft) Hash() (sum [sha256.Size]byte) {
	h := sha256.New()
	io.WriteString(h, textOf(asJSON{in: d.Folds, none: "[]"})+"\x00")
	io.WriteString(h, d.Text)
	h.Sum(sum[:0])
	return sum
}

// AddPrompt adds what was sent in a session to the history of prompts, unless it equals the newest
// prompt. It removes the oldest prompts beyond the limit. An empty session is the chat that has not begun.
func (s *Store) AddPrompt(ctx context.Context, session string, d Draft) error {
	d = s.cleanDraft(Draft{Text: d.Text, Folds: slices.DeleteFunc(slices.Clone(d.Folds), Fold.unnamed)})
	return s.jot(ctx, "save the prompt", func(t *tx) {
		n := draftKey(t, session)
		hash := d.Hash()
		// The same text sent in another session becomes that session's: purging either must remove it.
		t.exec(`
			INSERT INTO prompts (created_ms, text, files, session, hash)
			SELECT ?1, ?2, ?3, nullif(?4, 0), ?5
			WHERE NOT EXISTS (
				SELECT 1
				FROM prompts
				WHERE id = (SELECT max(id) FROM prompts) AND session IS nullif(?4, 0) AND hash = ?5)`,
			s.now().UnixMilli(), blob{&d.Text}, asJSON{in: d.Folds, none: "[]"}, n, hash[:])
		t.exec(`
			DELETE FROM prompts
			WHERE id < (SELECT max(id) FROM prompts)
				AND id <= (
					SELECT max(id)
					FROM (SELECT id, sum(length(text) + length(files)) OVER (ORDER BY id DESC) AS upto FROM prompts)
					WHERE upto > ?)`, promptBytes)
	})
}

// Prompts returns the beginnings of the newest limit prompts with an id above after, the newest first;
// limit 0 is all of them.
func (s *Store) Prompts(ctx context.Context, after int64, limit int) ([]Prompt, error) {
	if limit <= 0 {
		limit = -1
	}
	return inTx(ctx, s.view, "read the prompts", func(t *tx) (all []Prompt) {
		t.each(func(scan func(...any) error) error {
			p, err := scanPrompt(scan)
			all = append(all, p)
			return err
		}, `
			SELECT id, substr(text, 1, ?), length(text), files, hash
			FROM prompts
			WHERE id > ?
			ORDER BY id DESC
			LIMIT ?`, headBytes, after, limit)
		return all
	})
}

func scanPrompt(scan func(...any) error) (Prompt, error) {
	var p Prompt
	var hash []byte
	var folds []Fold
	if err := scan(&p.ID, blob{&p.Head.Text}, &p.Size, asJSON{in: &folds, lenient: true}, &hash); err != nil {
		return p, err
	}
	copy(p.Hash[:], hash)
	whole := Draft{Text: strings.Repeat(" ", p.Size), Folds: folds}
	p.Head.Folds = whole.checked().Folds
	return p, nil
}

// Prompt returns a prompt of the history. It returns ErrNotFound for one that was removed meanwhile.
func (s *Store) Prompt(ctx context.Context, id int64) (Draft, error) {
	return inTx(ctx, s.view, "read the prompt", func(t *tx) (d Draft) {
		into := []any{blob{&d.Text}, asJSON{in: &d.Folds, lenient: true}}
		if !t.row(into, `SELECT text, files FROM prompts WHERE id = ?`, id) {
			t.missing("read the prompt")
		}
		return d.checked()
	})
}

// SaveDraft keeps what is unsent in a session's composer; "" without a file empties it. An empty
// session is the chat that has not begun.
func (s *Store) SaveDraft(ctx context.Context, session string, d Draft) error {
	d = s.cleanDraft(d)
	return s.jot(ctx, "keep the draft", func(t *tx) { putDraft(t, draftKey(t, session), d) })
}

// putDraft replaces the draft of the session with this key.
func putDraft(t *tx, n int64, d Draft) {
	t.exec(`DELETE FROM drafts WHERE session = ?`, n)
	if d.Text != "" || len(d.Folds) > 0 {
		t.insert("drafts", d.columns(), sql.Named("session", n))
	}
}

// Draft returns what is unsent in a session's composer, with no text for nothing.
func (s *Store) Draft(ctx context.Context, session string) (Draft, error) {
	return inTx(ctx, s.view, "read the draft", func(t *tx) (out Draft) {
		eachRow(t, "drafts WHERE session = ?", func(d *Draft) { out = d.checked() }, draftKey(t, session))
		return out
	})
}

// draftKey is the key of the session of a draft, 0 for that of the chat that has not begun.
func draftKey(t *tx, session string) int64 {
	if session == "" {
		return 0
	}
	return sessionKey(t, session)
}
