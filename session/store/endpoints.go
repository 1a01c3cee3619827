package store

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// Learned is what winnow found out about a model behind a base URL.
type Learned struct {
	BaseURL  string          `json:"-"`
	Model    string          `json:"-"`
	Window   int             `json:"window,omitempty"` // tokens that a refusal named, 0 for none
	WindowAt time.Time       `json:"window_at,omitzero"`
	Stated   int             `json:"stated,omitempty"` // tokens that the server stated last, 0 for none
	StatedAt time.Time       `json:"stated_at,omitzero"`
	Chosen   int             `json:"chosen,omitempty"` // tokens that the user set, 0 for none: see ChooseWindow
	ChosenAt time.Time       `json:"chosen_at,omitzero"`
	Ratio    float64         `json:"ratio,omitempty"`   // the server's tokens per counted token, 0 unknown
	Samples  int             `json:"samples,omitempty"` // how many answers Ratio comes from
	Asked    json.RawMessage `json:"asked,omitempty"`   // an llm.Learned as JSON; nil is the usual way
}

// Endpoint returns what was learned about a model, and the zero facts where nothing was.
func (s *Store) Endpoint(ctx context.Context, baseURL, model string) (Learned, error) {
	return inTx(ctx, s.view, "read what is known of the model", func(t *tx) Learned {
		return learned(t, plainURL(baseURL), model, false)
	})
}

// learned reads the row of a model. With lenient, what cannot be read is nothing.
func learned(t *tx, baseURL, model string, lenient bool) Learned {
	l := Learned{BaseURL: baseURL, Model: model}
	t.row([]any{asJSON{in: &l, lenient: lenient}},
		`SELECT learned FROM endpoints WHERE base_url = ? AND model = ?`, baseURL, model)
	return l
}

// Learn replaces what is known of a model but for what the user chose. A user name and password in the URL are not
// kept.
func (s *Store) Learn(ctx context.Context, l Learned) error {
	return s.relearn(ctx, "keep what is known of the model", l.BaseURL, l.Model, func(stored *Learned) {
		l.Chosen, l.ChosenAt = stored.Chosen, stored.ChosenAt
		*stored = l
	})
}

// ForgetLearned forgets what the refusals of a model's server taught: its window, and how the model is asked.
func (s *Store) ForgetLearned(ctx context.Context, baseURL, model string) error {
	return s.relearn(ctx, "forget what was learned of the model", baseURL, model, func(l *Learned) {
		l.Window, l.WindowAt, l.Asked = 0, time.Time{}, nil
	})
}

// ChooseWindow keeps the window that the user sets for a model, and forgets the one that a refusal named. 0
// takes back what the user set.
func (s *Store) ChooseWindow(ctx context.Context, baseURL, model string, tokens int) error {
	return s.relearn(ctx, "keep the window of the model", baseURL, model, func(l *Learned) {
		l.Window, l.WindowAt = 0, time.Time{}
		l.Chosen, l.ChosenAt = tokens, time.Time{}
		if tokens > 0 {
			l.ChosenAt = s.now().Truncate(time.Millisecond).UTC()
		}
	})
}

// relearn changes what is known of a model. What cannot be read is replaced.
func (s *Store) relearn(ctx context.Context, doing, baseURL, model string, change func(*Learned)) error {
	baseURL = plainURL(baseURL)
	return s.jot(ctx, doing, func(t *tx) {
		l := learned(t, baseURL, model, true)
		change(&l)
		t.exec(`
			INSERT INTO endpoints (base_url, model, learned, updated_ms)
			VALUES (?, ?, ?, ?)
			ON CONFLICT (base_url, model) DO UPDATE
			SET learned = excluded.learned, updated_ms = excluded.updated_ms`,
			baseURL, model, asJSON{in: &l}, s.now().UnixMilli())
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
