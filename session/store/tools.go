package store

import (
	"context"
	"time"
)

// ToolPermission is what the user said of a tool for all sessions.
type ToolPermission struct {
	Name       string // as the model is offered it
	Identity   string // of the tool that is allowed; "" where any tool of the name is meant
	Server     string // the MCP server that has it, "" for none
	Permission string // off, ask or allow
	Updated    time.Time
}

func (p *ToolPermission) columns() []column {
	return []column{
		{"name", &p.Name, 0},
		{"identity", &p.Identity, 0},
		{"server", &p.Server, 0},
		{"permission", &p.Permission, 0},
		{"updated_ms", (*millis)(&p.Updated), 0},
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
	return s.jot(ctx, "keep what the tool may do", func(t *tx) {
		t.exec(`DELETE FROM tool_permissions WHERE name = ?1 AND (identity IN ('', ?2) OR ?2 = '')`, p.Name, p.Identity)
		p.Updated = s.now()
		t.insert("tool_permissions", p.columns())
	})
}
