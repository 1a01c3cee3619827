package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"winnow/session/store/sqlite"
)

// Learned is what winnow found out about a model behind a base URL.
type Learned struct {
	BaseURL  string
	Model    string
	Window   int // tokens that a refusal named, 0 for none
	WindowAt time.Time
	Stated   int // tokens that the server stated last, 0 for none
	StatedAt time.Time
	Chosen   int // tokens that the user set, 0 for none; ChooseWindow alone changes it
	ChosenAt time.Time
	Largest  int     // the largest prompt that was read whole, in the server's tokens
	Ratio    float64 // the server's tokens per counted token, 0 unknown
	Samples  int     // how many answers Ratio comes from
	Quirks   []string
	QuirksAt map[string]time.Time // since when each quirk is known; none for one that was never dated
}

// endpointRow is a row of endpoints, but for what ChooseWindow alone changes.
type endpointRow struct {
	BaseURL  string  `db:"base_url"`
	Model    string  `db:"model"`
	Window   int     `db:"window"`
	WindowMS int64   `db:"window_ms"`
	Stated   int     `db:"stated"`
	StatedMS int64   `db:"stated_ms"`
	Largest  int     `db:"largest"`
	Ratio    float64 `db:"ratio"`
	Samples  int     `db:"samples"`
	Quirks   string  `db:"quirks"`    // a JSON array
	QuirksMS string  `db:"quirks_ms"` // a JSON object of milliseconds by quirk
}

// chosenRow is a row of endpoints with what the user chose.
type chosenRow struct {
	endpointRow
	Chosen   int   `db:"chosen"`
	ChosenMS int64 `db:"chosen_ms"`
}

// Endpoint returns what was learned about a model, and the zero facts where nothing was.
func (s *Store) Endpoint(ctx context.Context, baseURL, model string) (Learned, error) {
	return inTx(ctx, s.view, "read what is known of the model", func(tx *sql.Tx) (Learned, error) {
		out := Learned{BaseURL: plainURL(baseURL), Model: model}
		err := sqlite.EachRow(ctx, tx, "endpoints WHERE base_url = ? AND model = ?", func(row *chosenRow) error {
			out.Window, out.WindowAt = row.Window, at(row.WindowMS)
			out.Stated, out.StatedAt = row.Stated, at(row.StatedMS)
			out.Chosen, out.ChosenAt = row.Chosen, at(row.ChosenMS)
			out.Largest, out.Ratio, out.Samples = row.Largest, row.Ratio, row.Samples
			if out.WindowAt.IsZero() {
				out.Window = 0 // It may have been a guess.
			}
			if err := json.Unmarshal([]byte(row.Quirks), &out.Quirks); err != nil {
				return fmt.Errorf("read the quirks of %s: %w", model, err)
			}
			since := map[string]int64{}
			if err := json.Unmarshal([]byte(row.QuirksMS), &since); err != nil {
				return fmt.Errorf("read the dates of the quirks of %s: %w", model, err)
			}
			for quirk, ms := range since {
				if out.QuirksAt == nil {
					out.QuirksAt = make(map[string]time.Time, len(since))
				}
				out.QuirksAt[quirk] = at(ms)
			}
			return nil
		}, out.BaseURL, model)
		return out, err
	})
}

// Learn replaces what is known of a model but for what the user chose. Of the
// date of a quirk in l and the one that is stored the later counts; one without a date is dated now. A user
// name and password in the URL are not kept.
func (s *Store) Learn(ctx context.Context, l Learned) error {
	if l.Quirks == nil {
		l.Quirks = []string{}
	}
	quirks, err := json.Marshal(l.Quirks)
	if err != nil {
		return fmt.Errorf("keep what is known of %s: %w", l.Model, err)
	}
	return s.jot(ctx, "keep what is known of the model", func(tx *sql.Tx) error {
		dates, err := s.datesOf(ctx, tx, l)
		if err != nil {
			return err
		}
		values, err := sqlite.Values(endpointRow{
			plainURL(l.BaseURL), l.Model, l.Window, ms(l.WindowAt), l.Stated, ms(l.StatedAt), l.Largest, l.Ratio, l.Samples,
			string(quirks), dates,
		})
		if err != nil {
			return err
		}
		return sqlite.Upsert(ctx, tx, "endpoints", "base_url, model", append(values, sql.Named("updated_ms", s.now().UnixMilli()))...)
	})
}

// datesOf are the dates of a model's quirks as they are stored: a JSON object of milliseconds.
func (s *Store) datesOf(ctx context.Context, tx *sql.Tx, l Learned) (string, error) {
	before, stored := map[string]int64{}, "{}"
	err := tx.QueryRowContext(ctx, `
		SELECT quirks_ms
		FROM endpoints
		WHERE base_url = ?
			AND model = ?`, plainURL(l.BaseURL), l.Model).Scan(&stored)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", err
	}
	if err := json.Unmarshal([]byte(stored), &before); err != nil {
		before = nil // They cannot be read: the quirks are dated anew.
	}
	now := make(map[string]int64, len(l.Quirks))
	for _, quirk := range l.Quirks {
		now[quirk] = cmp.Or(max(before[quirk], ms(l.QuirksAt[quirk])), s.now().UnixMilli())
	}
	text, err := json.Marshal(now)
	return string(text), err
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
