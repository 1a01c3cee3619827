package store

import (
	"context"
	"encoding/json"
	"net/url"
	"time"
)

// ModelFacts is what winnow has learned about a model at a base URL.
type ModelFacts struct {
	BaseURL  string          `json:"-"`
	Model    string          `json:"-"`
	Window   int             `json:"window,omitempty"` // context window in tokens, from an error; 0 if unknown
	WindowAt time.Time       `json:"window_at,omitzero"`
	Stated   int             `json:"stated,omitempty"` // the same as last reported by the server
	StatedAt time.Time       `json:"stated_at,omitzero"`
	Chosen   int             `json:"chosen,omitempty"` // the same as set by the user
	ChosenAt time.Time       `json:"chosen_at,omitzero"`
	Ratio    float64         `json:"ratio,omitempty"`   // the server's token count divided by winnow's, 0 if unknown
	Samples  int             `json:"samples,omitempty"` // number of answers that Ratio is based on
	Asked    json.RawMessage `json:"asked,omitempty"`   // JSON of an llm.Learned, nil for none
}

// ModelFacts returns what was learned about a model. It returns only BaseURL and Model if nothing was or if the row
// cannot be read.
func (s *Store) ModelFacts(ctx context.Context, baseURL, model string) (ModelFacts, error) {
	return inTx(ctx, s.view, "read what is known about the model", func(t *tx) ModelFacts {
		return learned(t, withoutSecrets(baseURL), model)
	})
}

func learned(t *tx, baseURL, model string) ModelFacts {
	l := ModelFacts{BaseURL: baseURL, Model: model}
	t.Row([]any{&jsonColumn{&l}},
		`SELECT learned FROM endpoints WHERE base_url = ? AND model = ?`, baseURL, model)
	return l
}

// UpdateModelFacts applies change to what is known about a model and stores the result. User, password and query of the
// base URL are not stored. change may be called several times.
func (s *Store) UpdateModelFacts(ctx context.Context, baseURL, model string, change func(*ModelFacts)) error {
	baseURL = withoutSecrets(baseURL)
	return s.saveFast(ctx, "save what is known about the model", func(t *tx) {
		l := learned(t, baseURL, model)
		change(&l)
		t.Exec(`
			INSERT INTO endpoints (base_url, model, learned)
			VALUES (?, ?, ?)
			ON CONFLICT (base_url, model) DO UPDATE
			SET learned = excluded.learned`, baseURL, model, &jsonColumn{&l})
	})
}

// withoutSecrets removes the parts of a URL that may hold a secret: user, password, query and fragment.
func withoutSecrets(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}

// ToolPermission is the user's decision about a tool for all sessions.
type ToolPermission struct {
	Name       string // as offered to the model
	Identity   string // of the permitted tool, "" for any tool of that name
	Server     string // the MCP server of the tool, "" for none
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

// ToolPermissions returns the user's decisions about tools for all sessions, sorted by name.
func (s *Store) ToolPermissions(ctx context.Context) ([]ToolPermission, error) {
	return inTx(ctx, s.view, "read the permissions of tools", func(t *tx) []ToolPermission {
		return readRows[ToolPermission](t, "tool_permissions ORDER BY name, identity")
	})
}

// SetToolPermission stores a decision about a tool for all sessions. Decisions for different identities of a name exist
// side by side. A decision for any tool of the name replaces all of them, and is replaced by a decision for one
// identity.
func (s *Store) SetToolPermission(ctx context.Context, p ToolPermission) error {
	return s.saveFast(ctx, "save the permission of the tool", func(t *tx) {
		t.Exec(`DELETE FROM tool_permissions WHERE name = ?1 AND (identity IN ('', ?2) OR ?2 = '')`, p.Name, p.Identity)
		t.put("INSERT INTO tool_permissions", p.columns(), "")
	})
}
