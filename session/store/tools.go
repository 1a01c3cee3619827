package store

import (
	"context"
	"database/sql"
	"time"

	"winnow/session/store/sqlite"
)

// ToolPermission is what the user said of a tool for all sessions.
type ToolPermission struct {
	Name       string    `db:"name"`       // as the model is offered it
	Identity   string    `db:"identity"`   // of the tool that is allowed; "" where any tool of the name is meant
	Server     string    `db:"server"`     // the MCP server that has it, "" for none
	Permission string    `db:"permission"` // off, ask or allow
	Updated    time.Time `db:"updated_ms"`
}

// ToolPermissions is what the user said of tools for all sessions, by name.
func (s *Store) ToolPermissions(ctx context.Context) ([]ToolPermission, error) {
	return inTx(ctx, s.view, "read what tools may do", func(tx *sql.Tx) ([]ToolPermission, error) {
		return sqlite.Collect(ctx, tx, sqlite.RowScan[ToolPermission](), `
			SELECT `+sqlite.Columns[ToolPermission]("p")+`
			FROM tool_permissions p
			ORDER BY name, identity`)
	})
}

// SetToolPermission keeps what the user says of a tool for all sessions. A permission for an identity stands beside
// those for other identities of the name. One for any tool of the name replaces all of them, and is replaced by them.
func (s *Store) SetToolPermission(ctx context.Context, p ToolPermission) error {
	return s.jot(ctx, "keep what the tool may do", func(tx *sql.Tx) error {
		err := execute(ctx, tx, `
			DELETE FROM tool_permissions
			WHERE name = ?1
				AND (identity = '' OR ?2 = '')`, p.Name, p.Identity)
		if err != nil {
			return err
		}
		p.Updated = s.now()
		values, err := sqlite.Values(p)
		if err != nil {
			return err
		}
		return sqlite.Upsert(ctx, tx, "tool_permissions", "name, identity", values...)
	})
}

// ForgetToolPermission takes back what the user said of the tools of a name, and says whether there was anything.
func (s *Store) ForgetToolPermission(ctx context.Context, name string) (bool, error) {
	return inTx(ctx, s.jot, "forget what the tool may do", func(tx *sql.Tx) (bool, error) {
		result, err := tx.ExecContext(ctx, `DELETE FROM tool_permissions WHERE name = ?`, name)
		if err != nil {
			return false, err
		}
		n, err := result.RowsAffected()
		return n > 0, err
	})
}
