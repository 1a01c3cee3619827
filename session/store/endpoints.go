package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"
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

// Endpoint returns what was learned about a model, and the zero facts where nothing was.
func (s *Store) Endpoint(ctx context.Context, baseURL, model string) (Learned, error) {
	out := Learned{BaseURL: plainURL(baseURL), Model: model}
	err := s.view(ctx, "read what is known of the model", func(tx *sql.Tx) error {
		var quirks, dates string
		var window, stated, chosen int64
		err := tx.QueryRowContext(ctx, `
			SELECT
				window,
				window_ms,
				stated,
				stated_ms,
				chosen,
				chosen_ms,
				largest,
				ratio,
				samples,
				quirks,
				quirks_ms
			FROM endpoints
			WHERE base_url = ?
				AND model = ?`, out.BaseURL, model).Scan(&out.Window, &window, &out.Stated, &stated, &out.Chosen, &chosen,
			&out.Largest, &out.Ratio, &out.Samples, &quirks, &dates)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		out.WindowAt, out.StatedAt, out.ChosenAt = dated(window), dated(stated), dated(chosen)
		if out.WindowAt.IsZero() {
			out.Window = 0 // It may have been a guess.
		}
		if err := json.Unmarshal([]byte(quirks), &out.Quirks); err != nil {
			return fmt.Errorf("read the quirks of %s: %w", model, err)
		}
		since := map[string]int64{}
		if err := json.Unmarshal([]byte(dates), &since); err != nil {
			return fmt.Errorf("read the dates of the quirks of %s: %w", model, err)
		}
		for quirk, ms := range since {
			if out.QuirksAt == nil {
				out.QuirksAt = make(map[string]time.Time, len(since))
			}
			out.QuirksAt[quirk] = at(ms)
		}
		return nil
	})
	return out, err
}

// dated is a time that may not be known: 0 is the zero time.
func dated(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return at(ms)
}

func msOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Learn replaces what is known of a model but for what the user chose. Of the
// date of a quirk in l and the one that is stored the later counts; one without a date is dated now. A user name and password in the URL are not kept.
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
		_, err = tx.ExecContext(ctx, `
			INSERT INTO endpoints (base_url, model, window, ratio, samples, quirks, updated_ms, window_ms, stated, stated_ms, largest, quirks_ms)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
			ON CONFLICT (base_url, model) DO UPDATE
			SET window = ?3,
				ratio = ?4,
				samples = ?5,
				quirks = ?6,
				updated_ms = ?7,
				window_ms = ?8,
				stated = ?9,
				stated_ms = ?10,
				largest = ?11,
				quirks_ms = ?12`,
			plainURL(l.BaseURL), l.Model, l.Window, l.Ratio, l.Samples, string(quirks), s.now().UnixMilli(),
			msOf(l.WindowAt), l.Stated, msOf(l.StatedAt), l.Largest, dates)
		return err
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
		since := max(before[quirk], msOf(l.QuirksAt[quirk]))
		if since == 0 {
			since = s.now().UnixMilli()
		}
		now[quirk] = since
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
		_, err := tx.ExecContext(ctx, `
			INSERT INTO endpoints (base_url, model, window, ratio, samples, quirks, updated_ms, chosen, chosen_ms)
			VALUES (?1, ?2, 0, 0, 0, '[]', ?3, ?4, ?5)
			ON CONFLICT (base_url, model) DO UPDATE
			SET window = 0,
				window_ms = 0,
				updated_ms = ?3,
				chosen = ?4,
				chosen_ms = ?5`,
			plainURL(baseURL), model, s.now().UnixMilli(), tokens, when)
		return err
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
