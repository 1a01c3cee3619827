package store

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// ModelFacts is what winnow found out about a model behind a base URL.
type ModelFacts struct {
	BaseURL  string          `json:"-"`
	Model    string          `json:"-"`
	Window   int             `json:"window,omitempty"` // tokens that a refusal named, 0 for none
	WindowAt time.Time       `json:"window_at,omitzero"`
	Stated   int             `json:"stated,omitempty"` // tokens that the server stated last, 0 for none
	StatedAt time.Time       `json:"stated_at,omitzero"`
	Chosen   int             `json:"chosen,omitempty"` // tokens that the user set, 0 for none
	ChosenAt time.Time       `json:"chosen_at,omitzero"`
	Ratio    float64         `json:"ratio,omitempty"`   // the server's tokens per counted token, 0 unknown
	Samples  int             `json:"samples,omitempty"` // how many answers Ratio comes from
	Asked    json.RawMessage `json:"asked,omitempty"`   // an llm.Learned as JSON; nil is the usual way
}

// ModelFacts returns what was learned about a model, and the zero facts where nothing was or it cannot be read.
func (s *Store) ModelFacts(ctx context.Context, baseURL, model string) (ModelFacts, error) {
	return inTx(ctx, s.view, "read what is known of the model", func(t *tx) ModelFacts {
		return learned(t, withoutSecrets(baseURL), model)
	})
}

func learned(t *tx, baseURL, model string) ModelFacts {
	l := ModelFacts{BaseURL: baseURL, Model: model}
	t.Row([]any{&jsonColumn{&l}},
		`SELECT learned FROM endpoints WHERE base_url = ? AND model = ?`, baseURL, model)
	return l
}

// UpdateModelFacts changes what is known of a model. A user name and password in the URL are not kept. change may run several
// times.
func (s *Store) UpdateModelFacts(ctx context.Context, baseURL, model string, change func(*ModelFacts)) error {
	baseURL = withoutSecrets(baseURL)
	return s.saveFast(ctx, "keep what is known of the model", func(t *tx) {
		l := learned(t, baseURL, model)
		change(&l)
		t.Exec(`
			INSERT INTO endpoints (base_url, model, learned)
			VALUES (?, ?, ?)
			ON CONFLICT (base_url, model) DO UPDATE
			SET learned = excluded.learned`, baseURL, model, &jsonColumn{&l})
	})
}

// withoutSecrets takes everything out of a URL that may be a secret: user, password and query.
func withoutSecrets(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}

// ToolPermission is what the user said of a tool for all sessions.
type ToolPermission struct {
	Name       string // as the model is offered it
	Identity   string // of the tool that is allowed; "" where any tool of the name is meant
	Server     string // the MCP server that has it, "" for none
	Permission string // off, ask or allow
}

func (p *ToolPermission) columns() []column {
	return []column{
		{"name", &p.Name, 0},
		{"identity", &p.Identity, 0},
		{"server", &p.Server, 0},
		{"permission", &p.Permission, 0},
	}
}

// ToolPermissions is what the user said of tools for all sessions, by name.
func (s *Store) ToolPermissions(ctx context.Context) ([]ToolPermission, error) {
	return inTx(ctx, s.view, "read what tools may do", func(t *tx) []ToolPermission {
		return readRows[ToolPermission](t, "tool_permissions ORDER BY name, identity")
	})
}

// SetToolPermission keeps what the user says of a tool for all sessions. A permission for an identity stands beside
// those for other identities of the name. One for any tool of the name replaces all of them, and is replaced by them.
func (s *Store) SetToolPermission(ctx context.Context, p ToolPermission) error {
	return s.saveFast(ctx, "keep what the tool may do", func(t *tx) {
		t.Exec(`DELETE FROM tool_permissions WHERE name = ?1 AND (identity IN ('', ?2) OR ?2 = '')`, p.Name, p.Identity)
		t.put("INSERT INTO tool_permissions", p.columns(), "")
	})
}
