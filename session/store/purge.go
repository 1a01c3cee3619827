package store

import (
	"context"
	"database/sql"
	"errors"

	"winnow/session/store/backup"
	"winnow/session/store/search"
	"winnow/session/store/sqlite"

	"github.com/mattn/go-sqlite3"
)

// ErrNotOverwritten reports that a purge is not finished: the session is gone, and bytes of its text are
// still in the file. FinishPurge goes on with it.
var ErrNotOverwritten = errors.New("the session is deleted, but its text could not be overwritten " +
	"while another window is open; this is done once the other windows are closed")

// Purge removes a session for good, with everything that belongs to it, and overwrites its text: when it
// returns nil, neither the file nor its write-ahead log holds a byte of it. It rewrites the whole file,
// about a second for each 100 MB. It does not ask, and leaves other files alone: see PurgeCopy.
func (s *Store) Purge(ctx context.Context, id string) error {
	err := s.save(ctx, "purge the session", func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := s.bury(ctx, tx, n, id); err != nil {
			return err
		}
		return purgeRows(ctx, tx, n)
	})
	if err != nil || s.path == sqlite.Memory {
		return err
	}
	return s.finishPurge(ctx)
}

// bury keeps for the other machines that a session is purged, where the history is shared.
func (s *Store) bury(ctx context.Context, tx *sql.Tx, n int64, id string) error {
	h, err := homeOf(ctx, tx)
	if err != nil || h.Folder == "" {
		return err
	}
	l := TombstoneLine{Session: id}
	if l.Messages, err = idsWhere(ctx, tx, `SELECT id FROM messages WHERE session = ? ORDER BY id`, n); err != nil {
		return err
	}
	if l.ID, err = s.newID(ctx, tx); err != nil {
		return err
	}
	return putTombstone(ctx, tx, l)
}

// purgeRows deletes the rows of a session and has the index forget its words. Their bytes are overwritten by finishPurge.
func purgeRows(ctx context.Context, tx *sql.Tx, n int64) error {
	if err := unindexSession(ctx, tx, n); err != nil {
		return err
	}
	if err := search.NotePurged(ctx, tx); err != nil {
		return err
	}
	return deleteSession(ctx, tx, n)
}

// FinishPurge overwrites what another window kept Purge from overwriting; mostly there is nothing.
func (s *Store) FinishPurge(ctx context.Context) error {
	purged, err := inTx(ctx, s.view, "look for purged text", func(tx *sql.Tx) (bool, error) {
		return search.Purged(ctx, tx)
	})
	if !purged || err != nil {
		return err
	}
	return s.finishPurge(ctx)
}

// finishPurge overwrites the text of sessions whose rows are deleted, in the search index too.
func (s *Store) finishPurge(ctx context.Context) error {
	err := s.jot(ctx, "merge the search index", func(tx *sql.Tx) error { return search.MergeAll(ctx, tx) })
	if err == nil {
		err = s.overwritePurged(ctx)
	}
	if sqlite.IsBusy(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &sqlite.Error{Doing: "finish the purge", Kind: ErrNotOverwritten, Cause: err}
	}
	return explain("purge the session", s.path, err)
}

// overwritePurged rewrites the file, which overwrites the text of purged sessions. Deleting alone is not
// enough, even with secure_delete: where SQLite rearranges the rows of a page, copies of deleted ones can
// stay in its unused part.
func (s *Store) overwritePurged(ctx context.Context) error {
	doing := "overwrite the purged text"
	if s.readOnly {
		return s.refused(doing)
	}
	select {
	case s.writing <- struct{}{}:
	case <-ctx.Done():
		return explain(doing, s.path, ctx.Err())
	}
	defer func() { <-s.writing }()
	if err := s.inPlace(); err != nil {
		return &sqlite.Error{Doing: doing, Where: s.path, Kind: ErrMoved, Cause: err}
	}
	db := sqlite.Pool(s.path, sqlite.Durable, 1)
	defer db.Close()
	for _, step := range []func() error{
		// On disk, since a large history has no place in memory. SQLite removes the name of its temporary file
		// as soon as it is open.
		func() error { _, err := db.ExecContext(ctx, "PRAGMA temp_store = FILE"); return err },
		func() error { _, err := db.ExecContext(ctx, "VACUUM"); return err },
		func() error { return emptyJournal(ctx, db) },
		func() error { _, err := db.ExecContext(ctx, `DELETE FROM purged WHERE gathered = 1`); return err },
	} {
		if err := s.retry(ctx, step); err != nil {
			return s.mark(explain(doing, s.path, err))
		}
	}
	return nil
}

// emptyJournal moves what is in the write-ahead log into the file and truncates the log. It returns an
// error that is busy while another transaction reads from the log.
func emptyJournal(ctx context.Context, db *sql.DB) error {
	var blocked, pages, moved int
	err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&blocked, &pages, &moved)
	if err == nil && blocked != 0 {
		err = sqlite3.Error{Code: sqlite3.ErrBusy}
	}
	return err
}

// PurgeCopy writes a copy of the history anew without a session. Whatever fails, the copy is
// then as it was before.
func PurgeCopy(ctx context.Context, c backup.Copy, session Session) error {
	return c.Rewrite(ctx, func(tx *sql.Tx) error {
		n, err := sessionKey(ctx, tx, session.ID)
		if err != nil {
			return err
		}
		if err := search.Renew(ctx, tx); err != nil {
			return err
		}
		return deleteSession(ctx, tx, n)
	})
}

// deleteSession deletes the rows of a session in every table but the search index.
func deleteSession(ctx context.Context, tx *sql.Tx, n int64) error {
	if err := execute(ctx, tx, `DELETE FROM drafts WHERE session = ?`, n); err != nil {
		return err
	}
	// The rows that reference it, its prompts too, go with it.
	if err := execute(ctx, tx, `DELETE FROM sessions WHERE n = ?`, n); err != nil {
		return err
	}
	return execute(ctx, tx, `
		DELETE FROM attachments
		WHERE NOT EXISTS (SELECT 1 FROM parts WHERE parts.attachment = attachments.id)`)
}
