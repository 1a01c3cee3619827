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
	err := s.save(ctx, "purge the session", func(t *tx) {
		n := sessionKey(t, id)
		if homeOf(t).Folder != "" { // the other machines are to be told
			l := Tombstone{ID: s.newID(t), Session: id}
			l.Messages = list[int64](t, `SELECT id FROM messages WHERE session = ? ORDER BY id`, n)
			t.put("INSERT INTO tombstones", l.columns(), "")
		}
		purgeRows(t, n)
	})
	if err != nil {
		return err
	}
	return s.FinishPurge(ctx)
}

// purgeRows deletes the rows of a session and has the index forget its words. Their bytes are overwritten by
// FinishPurge.
func purgeRows(t *tx, n int64) {
	unindex(t, "session = ?", n)
	notePurged(t)
	deleteSession(t, n)
}

// notePurged notes that FinishPurge has something to do.
func notePurged(t *tx) { t.fail(search.NotePurged(t.ctx, t.Tx)) }

// FinishPurge overwrites what another window kept Purge from overwriting, in the search index too; mostly there is
// nothing.
func (s *Store) FinishPurge(ctx context.Context) error {
	purged, err := inTx(ctx, s.view, "look for purged text", func(t *tx) bool {
		purged, err := search.Purged(t.ctx, t.Tx)
		t.fail(err)
		return purged && s.path != sqlite.Memory
	})
	if !purged || err != nil {
		return err
	}
	err = s.jot(ctx, "merge the search index", func(t *tx) { t.fail(search.MergeAll(t.ctx, t.Tx)) })
	if err == nil {
		err = s.overwritePurged(ctx)
	}
	if sqlite.IsBusy(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return &sqlite.Error{Doing: "finish the purge", Kind: ErrNotOverwritten, Cause: err}
	}
	return sqlite.Explain("purge the session", s.path, err)
}

// overwritePurged rewrites the file, which overwrites the text of purged sessions. Deleting alone is not
// enough, even with secure_delete: where SQLite rearranges the rows of a page, copies of deleted ones can
// stay in its unused part.
func (s *Store) overwritePurged(ctx context.Context) error {
	return s.write(ctx, "overwrite the purged text", func() error {
		db := sqlite.Pool(s.path, sqlite.Durable, 1)
		defer db.Close()
		err := s.retry(ctx, func() error {
			// The copy is made on disk, since a large history has no place in memory. SQLite removes the name of its
			// temporary file as soon as it is open.
			_, err := db.ExecContext(ctx, "PRAGMA temp_store = FILE; VACUUM")
			return err
		})
		if err != nil {
			return err
		}
		return s.retry(ctx, func() error {
			if err := emptyJournal(ctx, db); err != nil {
				return err
			}
			_, err := db.ExecContext(ctx, "DELETE FROM purged WHERE gathered = 1")
			return err
		})
	})
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
	return c.Rewrite(ctx, func(of *sql.Tx) error {
		t := &tx{Tx: of, ctx: ctx}
		n := sessionKey(t, session.ID)
		renewIndex(t)
		deleteSession(t, n)
		return t.err
	})
}

// deleteSession deletes the rows of a session in every table but the search index. The rows that reference it, its
// prompts too, go with it.
func deleteSession(t *tx, n int64) {
	t.exec(`DELETE FROM drafts WHERE session = ?`, n)
	t.exec(`DELETE FROM sessions WHERE n = ?`, n)
	detach(t)
}

// detach deletes the attachments that no message has.
func detach(t *tx) { t.exec(`DELETE FROM attachments WHERE hash NOT IN (SELECT hash FROM attached)`) }
