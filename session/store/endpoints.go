package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"winnow/session/store/sqlite"
)

// Learned is what winnow found out about a model behind a base URL.
type Learned struct {
	BaseURL  string               `db:"base_url"`
	Model    string               `db:"model"`
	Window   int                  `db:"window"` // tokens that a refusal named, 0 for none
	WindowAt time.Time            `db:"window_ms"`
	Stated   int                  `db:"stated"` // tokens that the server stated last, 0 for none
	StatedAt time.Time            `db:"stated_ms"`
	Chosen   int                  `db:"chosen"` // tokens that the user set, 0 for none; ChooseWindow alone changes it
	ChosenAt time.Time            `db:"chosen_ms"`
	Ratio    float64              `db:"ratio"`   // the server's tokens per counted token, 0 unknown
	Samples  int                  `db:"samples"` // how many answers Ratio comes from
	Quirks   []string             `db:"quirks,json"`
	QuirksAt map[string]time.Time // since when each quirk is known
}

// learnedRow is what was learned with the dates of its quirks as they are stored.
type learnedRow struct {
	Learned
	QuirksMS map[string]int64 `db:"quirks_ms,json"` // Unix milliseconds by quirk
}

// Endpoint returns what was learned about a model, and the zero facts where nothing was.
func (s *Store) Endpoint(ctx context.Context, baseURL, model string) (Learned, error) {
	return inTx(ctx, s.view, "read what is known of the model", func(tx *sql.Tx) (Learned, error) {
		row, err := learned(ctx, tx, plainURL(baseURL), model)
		if err != nil {
			return Learned{}, fmt.Errorf("read what is known of %s: %w", model, err)
		}
		for quirk, ms := range row.QuirksMS {
			if row.QuirksAt == nil {
				row.QuirksAt = make(map[string]time.Time, len(row.QuirksMS))
			}
			row.QuirksAt[quirk] = sqlite.Time(ms)
		}
		return row.Learned, nil
	})
}

// learned reads the row of a model.
func learned(ctx context.Context, tx *sql.Tx, baseURL, model string) (learnedRow, error) {
	out := learnedRow{Learned: Learned{BaseURL: baseURL, Model: model}}
	err := sqlite.EachRow(ctx, tx, "endpoints WHERE base_url = ? AND model = ?", func(row *learnedRow) error {
		out = *row
		return nil
	}, baseURL, model)
	return out, err
}

// Learn replaces what is known of a model but for what the user chose. Of the
// date of a quirk in l and the one that is stored the later counts; one without a date is dated now. A user
// name and password in the URL are not kept.
func (s *Store) Learn(ctx context.Context, l Learned) error {
	l.BaseURL = plainURL(l.BaseURL)
	if l.Quirks == nil {
		l.Quirks = []string{}
	}
	return s.jot(ctx, "keep what is known of the model", func(tx *sql.Tx) error {
		stored, err := learned(ctx, tx, l.BaseURL, l.Model)
		if err != nil && !errors.Is(err, sqlite.ErrColumn) { // the quirks are dated anew where their dates cannot be read
			return err
		}
		row := learnedRow{l, make(map[string]int64, len(l.Quirks))}
		for _, quirk := range l.Quirks {
			row.QuirksMS[quirk] = cmp.Or(max(stored.QuirksMS[quirk], sqlite.Milliseconds(l.QuirksAt[quirk])), s.now().UnixMilli())
		}
		values, err := sqlite.Values(row)
		if err != nil {
			return err
		}
		values = slices.DeleteFunc(values, func(v sql.NamedArg) bool { return v.Name == "chosen" || v.Name == "chosen_ms" })
		return sqlite.Upsert(ctx, tx, "endpoints", "base_url, model", append(values, sql.Named("updated_ms", s.now().UnixMilli()))...)
	})
}

// ChooseWindow keeps the window that the user sets for a model, and forgets the one that a refusal named. 0
// takes back what the user set.
func (s *Store) ChooseWindow(ctx context.Context, baseURL, model string, tokens int) error {
	var when int64
	if tokens > 0 {
		when = s.now().UnixMilli()
	}
	return s.jot(ctx, "keep the window of the model", func(tx *sql.Tx) error {
		return execute(ctx, tx, `
			INSERT INTO endpoints (base_url, model, window, ratio, samples, quirks, updated_ms, chosen, chosen_ms)
			VALUES (?1, ?2, 0, 0, 0, '[]', ?3, ?4, ?5)
			ON CONFLICT (base_url, model) DO UPDATE
			SET window = 0,
				window_ms = 0,
				updated_ms = ?3,
				chosen = ?4,
				chosen_ms = ?5`,
			plainURL(baseURL), model, s.now().UnixMilli(), tokens, when)
	})
}

// plainURL takes everything out of a URL that may be a secret: user, password and query.
func plainURL(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}
