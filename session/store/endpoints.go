package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
)

// Learned is what winnow found out about a model behind a base URL.
type Learned struct {
	BaseURL string
	Model   string
	Window  int     // tokens, 0 unknown
	Ratio   float64 // the server's tokens per counted token, 0 unknown
	Samples int     // how many answers Ratio comes from
	Quirks  []string
}

// Endpoint returns what was learned about a model, and the zero facts where nothing was.
func (s *Store) Endpoint(ctx context.Context, baseURL, model string) (Learned, error) {
	out := Learned{BaseURL: plainURL(baseURL), Model: model}
	err := s.view(ctx, "read what is known of the model", func(tx *sql.Tx) error {
		var quirks string
		err := tx.QueryRowContext(ctx, `
			SELECT
				window,
				ratio,
				samples,
				quirks
			FROM endpoints
			WHERE base_url = ?
				AND model = ?`, out.BaseURL, model).Scan(&out.Window, &out.Ratio, &out.Samples, &quirks)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(quirks), &out.Quirks); err != nil {
			return fmt.Errorf("read the quirks of %s: %w", model, err)
		}
		return nil
	})
	return out, err
}

// Learn replaces what is known of a model. A user name and password in the URL are not kept.
func (s *Store) Learn(ctx context.Context, l Learned) error {
	if l.Quirks == nil {
		l.Quirks = []string{}
	}
	quirks, err := json.Marshal(l.Quirks)
	if err != nil {
		return fmt.Errorf("keep what is known of %s: %w", l.Model, err)
	}
	return s.jot(ctx, "keep what is known of the model", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO endpoints (base_url, model, window, ratio, samples, quirks, updated_ms)
			VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
			ON CONFLICT (base_url, model) DO UPDATE
			SET window = ?3,
				ratio = ?4,
				samples = ?5,
				quirks = ?6,
				updated_ms = ?7`,
			plainURL(l.BaseURL), l.Model, l.Window, l.Ratio, l.Samples, string(quirks), s.now().UnixMilli())
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
