package store

import (
	"context"
	"database/sql"
	"fmt"

	"winnow/session/store/sqlite"
)

// Rename sets a session's title. from is user or auto: an automatic title never replaces the
// user's, and then nothing happens.
func (s *Store) Rename(ctx context.Context, id, title string, from TitleSource) error {
	return s.edit(ctx, "rename the session", titleValue, id, `
		UPDATE sessions
		SET title = CASE WHEN ?2 = 'auto' AND title_from = 'user' THEN title ELSE ?3 END,
			title_from = CASE WHEN ?2 = 'auto' AND title_from = 'user' THEN title_from ELSE ?2 END
		WHERE id = ?1`, from, s.clean(title))
}

// SetSystem sets a session's own system prompt, "" for none.
func (s *Store) SetSystem(ctx context.Context, id, system string) error {
	return s.set(ctx, "change the session's system prompt", []string{systemValue}, id, sql.Named("system", s.clean(system)), sql.Named("system_fixed", true))
}

// SetAddress sets where the requests of a session go. It is of this machine: what another one calls by the endpoint's
// name is that one's business.
func (s *Store) SetAddress(ctx context.Context, id, address string) error {
	return s.set(ctx, "keep the address of the session's endpoint", nil, id, sql.Named("address", address))
}

// Configure sets a session's model with its address, its preset and the policy keys that it overrides, all at once.
func (s *Store) Configure(ctx context.Context, row Session) error {
	return s.set(ctx, "change the session's settings", []string{modelValue, settingsValue}, row.ID,
		sql.Named("endpoint", row.Endpoint),
		sql.Named("address", row.Address),
		sql.Named("model", row.Model),
		sql.Named("preset", row.Preset),
		sql.Named("overrides", row.Overrides))
}

// SetPinned puts a session on top of the list, or back.
func (s *Store) SetPinned(ctx context.Context, id string, pinned bool) error {
	return s.set(ctx, "pin the session", []string{pinnedValue}, id, sql.Named("pinned", pinned))
}

// SetArchived takes a session out of the list without deleting it, or back.
func (s *Store) SetArchived(ctx context.Context, id string, archived bool) error {
	return s.set(ctx, "archive the session", []string{archivedValue}, id, sql.Named("archived", archived))
}

// set changes columns of the session with this whole id. changes are what they are called where other machines share it.
func (s *Store) set(ctx context.Context, doing string, changes []string, id string, values ...sql.NamedArg) error {
	return s.save(ctx, doing, func(tx *sql.Tx) error {
		n, err := sessionThere(ctx, tx, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return &sqlite.Error{Doing: fmt.Sprintf("%s %q", doing, id), Kind: ErrNotFound}
		}
		if _, err := sqlite.Update(ctx, tx, "sessions", values, sql.Named("n", n)); err != nil {
			return err
		}
		if err := raiseChanges(ctx, tx, n); err != nil {
			return err
		}
		return s.setRegisters(ctx, tx, n, changes...)
	})
}

// Delete moves a session to the trash. Deleting it again keeps the first date.
func (s *Store) Delete(ctx context.Context, id string) error {
	return s.edit(ctx, "delete the session", deletedValue, id, `
		UPDATE sessions
		SET deleted_ms = iif(deleted_ms = 0, max(1, ?2), deleted_ms)
		WHERE id = ?1`, s.now().UnixMilli())
}

// Restore takes a session out of the trash.
func (s *Store) Restore(ctx context.Context, id string) error {
	return s.set(ctx, "restore the session", []string{deletedValue}, id, sql.Named("deleted_ms", 0))
}

// edit runs one statement on the session with this whole id, which is its first parameter. It changes the value that
// is called so where other machines share it.
func (s *Store) edit(ctx context.Context, doing, changes, id, query string, args ...any) error {
	return s.save(ctx, doing, func(tx *sql.Tx) error {
		n, err := sessionThere(ctx, tx, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return &sqlite.Error{Doing: fmt.Sprintf("%s %q", doing, id), Kind: ErrNotFound}
		}
		if err := execute(ctx, tx, query, append([]any{id}, args...)...); err != nil {
			return err
		}
		if err := raiseChanges(ctx, tx, n); err != nil {
			return err
		}
		return s.setRegisters(ctx, tx, n, changes)
	})
}

// Changes counts what was written of the session with this whole id, here or by a merge: messages, flags, remedies,
// settings, the system prompt, the title. What was read of it is stale once the count is another one.
func (s *Store) Changes(ctx context.Context, id string) (changes int64, err error) {
	err = s.view(ctx, "look for changes of the session", func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT changes FROM sessions WHERE id = ?`, id).Scan(&changes)
		return found(fmt.Sprintf("find session %q", id), err)
	})
	return changes, err
}

// raiseChanges raises the count of Store.Changes. Every writer of what it counts calls it in its transaction.
func raiseChanges(ctx context.Context, tx *sql.Tx, session int64) error {
	return execute(ctx, tx, `UPDATE sessions SET changes = changes + 1 WHERE n = ?`, session)
}

// SetTags replaces a session's tags.
func (s *Store) SetTags(ctx context.Context, id string, tags ...string) error {
	return s.save(ctx, "tag the session", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := setTags(ctx, tx, n, tags); err != nil {
			return err
		}
		return s.setRegisters(ctx, tx, n, tagsValue)
	})
}

func setTags(ctx context.Context, tx *sql.Tx, n int64, tags []string) error {
	if err := execute(ctx, tx, `DELETE FROM tags WHERE session = ?`, n); err != nil {
		return err
	}
	for _, tag := range tags {
		err := execute(ctx, tx, `
			INSERT INTO tags (session, tag)
			VALUES (?, ?)
			ON CONFLICT DO NOTHING`, n, tag)
		if err != nil {
			return fmt.Errorf("tag the session %q: %w", tag, err)
		}
	}
	return nil
}
