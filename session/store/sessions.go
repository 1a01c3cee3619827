package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// sessionColumns are what scanSession reads. Tags come from a query of their own.
const sessionColumns = `
	s.n,
	s.id,
	s.title,
	s.title_from,
	s.created_ms,
	s.updated_ms,
	s.endpoint,
	s.model,
	s.preset,
	s.overrides,
	s.system,
	s.leaf,
	s.parent,
	s.forked_at,
	s.pinned,
	s.archived,
	s.deleted_ms,
	s.dir,
	s.messages,
	s.turns`

func scanSession(scan func(...any) error) (n int64, s Session, err error) {
	var created, updated, deleted int64
	err = scan(&n, &s.ID, &s.Title, &s.TitleFrom, &created, &updated, &s.Endpoint, &s.Model, &s.Preset,
		&s.Overrides, &s.System, &s.Leaf, &s.Parent, &s.ForkedAt, &s.Pinned, &s.Archived, &deleted, &s.Dir,
		&s.Messages, &s.Turns)
	s.Created, s.Updated, s.Deleted = at(created), at(updated), at(deleted)
	return n, s, err
}

// Session finds a session by its id or a prefix that only one session has. Sessions in the trash
// are found where no other fits. It returns ErrNotFound or an *AmbiguousError.
func (s *Store) Session(ctx context.Context, idOrPrefix string) (Session, error) {
	var out Session
	err := s.view(ctx, "find the session", func(tx *sql.Tx) error {
		var err error
		out, err = sessionByPrefix(ctx, tx, idOrPrefix)
		return err
	})
	return out, err
}

func sessionByPrefix(ctx context.Context, tx *sql.Tx, typed string) (Session, error) {
	prefix := strings.ToLower(strings.TrimSpace(typed))
	what := fmt.Sprintf("find session %q", typed)
	if prefix == "" {
		return Session{}, &trouble{doing: what, kind: ErrNotFound}
	}
	for _, trash := range []bool{false, true} {
		// 'g' follows every character of an id.
		rows, err := tx.QueryContext(ctx, `
			SELECT`+sessionColumns+`
			FROM sessions s
			WHERE s.id >= ?1
				AND s.id < ?1 || 'g'
				AND (s.deleted_ms <> 0) = ?2
			ORDER BY s.used DESC`, prefix, trash)
		if err != nil {
			return Session{}, err
		}
		all, err := collectSessions(ctx, tx, rows, nil)
		if err != nil {
			return Session{}, err
		}
		switch {
		case len(all) == 1:
			return all[0], nil
		case len(all) > 1:
			return Session{}, &AmbiguousError{Prefix: typed, Matches: all[:min(10, len(all))], Count: len(all)}
		}
	}
	return Session{}, &trouble{doing: what, kind: ErrNotFound}
}

// Last returns the session used last that is neither in the trash nor archived, or ErrNotFound.
func (s *Store) Last(ctx context.Context) (Session, error) {
	var out Session
	err := s.view(ctx, "find the last session", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `
			SELECT`+sessionColumns+`
			FROM sessions s INDEXED BY sessions_used
			WHERE s.deleted_ms = 0
				AND s.archived = 0
			ORDER BY s.used DESC
			LIMIT 1`)
		if err != nil {
			return err
		}
		all, err := collectSessions(ctx, tx, rows, nil)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return &trouble{doing: "find the last session", kind: ErrNotFound}
		}
		out = all[0]
		return nil
	})
	return out, err
}

// sessionKey returns the short key of a session by its whole id.
func sessionKey(ctx context.Context, tx *sql.Tx, id string) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `
		SELECT n
		FROM sessions
		WHERE id = ?`, id).Scan(&n)
	return n, found(fmt.Sprintf("find session %q", id), err)
}

// sessionByKey reads one session by its short key.
func sessionByKey(ctx context.Context, tx *sql.Tx, n int64) (Session, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT`+sessionColumns+`
		FROM sessions s
		WHERE s.n = ?`, n)
	if err != nil {
		return Session{}, err
	}
	all, err := collectSessions(ctx, tx, rows, nil)
	if err == nil && len(all) == 0 {
		err = &trouble{doing: "find the session", kind: ErrNotFound}
	}
	if err != nil {
		return Session{}, err
	}
	return all[0], nil
}

// addSession inserts a session without messages. An empty id gets a new one.
func (s *Store) addSession(ctx context.Context, tx *sql.Tx, in Session) (int64, error) {
	if in.ID == "" {
		id, err := uuid.NewV7()
		if err != nil {
			return 0, fmt.Errorf("make a session id: %w", err)
		}
		in.ID = id.String()
	}
	created := ms(in.Created)
	if created == 0 {
		created = s.now().UnixMilli()
	}
	result, err := tx.ExecContext(ctx, `
		INSERT INTO sessions (
			id, title, title_from, created_ms, updated_ms, used, endpoint, model, preset, overrides, system,
			parent, forked_at, pinned, archived, dir
		) VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		in.ID, in.Title, in.TitleFrom, created, created, in.Endpoint, in.Model, in.Preset, in.Overrides, in.System,
		in.Parent, in.ForkedAt, in.Pinned, in.Archived, in.Dir)
	if err != nil {
		return 0, fmt.Errorf("begin session %q: %w", in.ID, err)
	}
	n, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	return n, setTags(ctx, tx, n, in.Tags)
}

// use makes a session the last used one. The order is kept apart from the clock, which may go
// backwards.
func (s *Store) use(ctx context.Context, tx *sql.Tx, n int64) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE sessions
		SET updated_ms = ?1,
			used = max(?1, 1 + (SELECT max(used) FROM sessions))
		WHERE n = ?2`, s.now().UnixMilli(), n)
	return err
}

// Rename sets a session's title. from is user or auto: an automatic title never replaces the
// user's, and then nothing happens.
func (s *Store) Rename(ctx context.Context, id, title, from string) error {
	return s.edit(ctx, "rename the session", id, `
		UPDATE sessions
		SET title = CASE WHEN ?2 = 'auto' AND title_from = 'user' THEN title ELSE ?3 END,
			title_from = CASE WHEN ?2 = 'auto' AND title_from = 'user' THEN title_from ELSE ?2 END
		WHERE id = ?1`, from, title)
}

// SetModel records what a session talks to from now on.
func (s *Store) SetModel(ctx context.Context, id, endpoint, model string) error {
	return s.edit(ctx, "change the session's model", id, `
		UPDATE sessions
		SET endpoint = ?2,
			model = ?3
		WHERE id = ?1`, endpoint, model)
}

// SetSystem sets a session's own system prompt, "" for the configured one.
func (s *Store) SetSystem(ctx context.Context, id, system string) error {
	return s.edit(ctx, "change the session's system prompt", id, `
		UPDATE sessions
		SET system = ?2
		WHERE id = ?1`, system)
}

// SetPreset sets a session's preset and the policy keys that it overrides, as TOML.
func (s *Store) SetPreset(ctx context.Context, id, preset, overrides string) error {
	return s.edit(ctx, "change the session's preset", id, `
		UPDATE sessions
		SET preset = ?2,
			overrides = ?3
		WHERE id = ?1`, preset, overrides)
}

// SetPinned puts a session on top of the list, or back.
func (s *Store) SetPinned(ctx context.Context, id string, pinned bool) error {
	return s.edit(ctx, "pin the session", id, `
		UPDATE sessions
		SET pinned = ?2
		WHERE id = ?1`, pinned)
}

// SetArchived takes a session out of the list without deleting it, or back.
func (s *Store) SetArchived(ctx context.Context, id string, archived bool) error {
	return s.edit(ctx, "archive the session", id, `
		UPDATE sessions
		SET archived = ?2
		WHERE id = ?1`, archived)
}

// Delete moves a session to the trash. Deleting it again keeps the first date.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.edit(ctx, "delete the session", id, `
		UPDATE sessions
		SET deleted_ms = iif(deleted_ms = 0, max(1, ?2), deleted_ms)
		WHERE id = ?1`, s.now().UnixMilli())
}

// Restore takes a session out of the trash.
func (s *Store) Restore(ctx context.Context, id string) error {
	return s.edit(ctx, "restore the session", id, `
		UPDATE sessions
		SET deleted_ms = 0
		WHERE id = ?1`)
}

// edit runs one statement on the session with this whole id, which is its first parameter.
func (s *Store) edit(ctx context.Context, doing, id, query string, args ...any) error {
	return s.save(ctx, doing, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, query, append([]any{id}, args...)...)
		return touched(fmt.Sprintf("%s %q", doing, id), result, err)
	})
}

// SetTags replaces a session's tags.
func (s *Store) SetTags(ctx context.Context, id string, tags ...string) error {
	return s.save(ctx, "tag the session", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		return setTags(ctx, tx, n, tags)
	})
}

func setTags(ctx context.Context, tx *sql.Tx, n int64, tags []string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM tags WHERE session = ?`, n); err != nil {
		return err
	}
	for _, tag := range tags {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO tags (session, tag)
			VALUES (?, ?)
			ON CONFLICT DO NOTHING`, n, tag)
		if err != nil {
			return fmt.Errorf("tag the session %q: %w", tag, err)
		}
	}
	return nil
}

// Purge removes a session for good, with everything that belongs to it, and overwrites its text in
// the file. It does not ask.
func (s *Store) Purge(ctx context.Context, id string) error {
	err := s.save(ctx, "purge the session", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM drafts WHERE session = ?`, n)
		if err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE n = ?`, n); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			DELETE FROM attachments
			WHERE NOT EXISTS (SELECT 1 FROM parts WHERE parts.attachment = attachments.id)`)
		return err
	})
	if err != nil || s.path == Memory {
		return err
	}
	// The text still stands in the write-ahead log until that is emptied. Where another window reads
	// just now, the next checkpoint does it.
	_, err = s.full.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if busy(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return explain("purge the session", s.path, err)
}
