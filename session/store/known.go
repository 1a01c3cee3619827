package store

import (
	"context"
	"database/sql"
	"strings"

	"winnow/session/store/sqlite"
)

// Known finds the session that a session of an archive is, whether it is here under its own id or was
// brought in under another one. It is the same where it begins with the same messages on the same
// branches. unchanged says that nothing else is different either; ErrNotFound that there is none.
func (s *Store) Known(ctx context.Context, of SessionLine, d *Digester) (there Session, unchanged bool, err error) {
	err = s.view(ctx, "look for the session", func(tx *sql.Tx) error {
		there, unchanged = Session{}, false
		keys, err := candidates(ctx, tx, of, d.Messages())
		if err != nil {
			return err
		}
		for _, n := range keys {
			same, err := heard(ctx, tx, n, d.Messages())
			if err != nil {
				return err
			}
			if same != d.Said() {
				continue
			}
			sum, err := digestOf(ctx, tx, n)
			if err != nil {
				return err
			}
			unchanged = sum == d.Sum()
			there, err = sessionByKey(ctx, tx, n)
			return err
		}
		return &sqlite.Error{Doing: "find the session", Kind: ErrNotFound}
	})
	return there, unchanged, err
}

// candidates are the sessions that may be one of an archive. One that was brought in under another id is
// looked for only where its own is taken.
func candidates(ctx context.Context, tx *sql.Tx, of SessionLine, messages int64) ([]int64, error) {
	own, err := sessionThere(ctx, tx, strings.ToLower(of.ID))
	if err != nil || own == 0 {
		return nil, err
	}
	others, err := idsWhere(ctx, tx, `
		SELECT n
		FROM sessions
		WHERE created_ms = ?
			AND messages >= ?
			AND n <> ?
		ORDER BY deleted_ms = 0 DESC, n`, of.Created, messages, own)
	return append([]int64{own}, others...), err
}
