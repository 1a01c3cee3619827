package store

import (
	"context"
	"errors"
	"fmt"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
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
		if thisMachine(t).Folder != "" { // the other machines are to be told
			l := Tombstone{ID: s.newID(t), Session: id}
			l.Messages = sqlite.List[int64](t, `SELECT id FROM messages WHERE session = ? ORDER BY id`, n)
			t.put("INSERT INTO tombstones", l.columns(), "")
		}
		purgeRows(t, n)
	})
	if err != nil {
		return err
	}
	return s.FinishPurge(ctx)
}

// purgeRows deletes the rows of a session and has the index forget its words. The rows that reference it, its prompts
// too, go with it. Their bytes are overwritten by FinishPurge.
func purgeRows(t *tx, n int64) {
	unindex(t, "session = ?", n)
	notePurged(t)
	t.Exec(`DELETE FROM drafts WHERE session = ?`, n)
	t.Exec(`DELETE FROM sessions WHERE n = ?`, n)
	deleteUnusedAttachments(t)
}

// notePurged notes that FinishPurge has something to do: FTS4 merely adds to its tree that words are gone.
func notePurged(t *tx) { t.Exec(`INSERT OR REPLACE INTO purged (id, gathered) VALUES (1, 0)`) }

// FinishPurge overwrites the bytes of what was purged, in the search index too. Purge calls it; a later call does what
// another window kept that from.
func (s *Store) FinishPurge(ctx context.Context) error {
	purged, err := inTx(ctx, s.view, "look for purged text", func(t *tx) bool {
		return s.path != sqlite.InMemory && sqlite.Value[bool](t, `SELECT EXISTS (SELECT 1 FROM purged)`)
	})
	if !purged || err != nil {
		return err
	}
	// To make one segment of the index, in which nothing is left of words that were removed, takes about a second for
	// 200,000 messages.
	err = s.saveFast(ctx, "merge the search index", func(t *tx) {
		t.Exec(`INSERT INTO found (found) VALUES ('optimize')`)
		t.Exec(`UPDATE purged SET gathered = 1`)
	})
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
		db := sqlite.OpenPool(s.path, sqlite.ModeDurable, 1)
		defer db.Close()
		err := retry(ctx, s.busyTimeout, func() error {
			// The copy is made on disk, since a large history has no place in memory. SQLite removes the name of its
			// temporary file as soon as it is open.
			_, err := db.ExecContext(ctx, "PRAGMA temp_store = FILE; VACUUM")
			return err
		})
		if err != nil {
			return err
		}
		return retry(ctx, s.busyTimeout, func() error {
			if err := sqlite.TruncateWAL(ctx, db); err != nil {
				return err
			}
			_, err := db.ExecContext(ctx, "DELETE FROM purged WHERE gathered = 1")
			return err
		})
	})
}

// PurgeCopy purges a session from a backup of the history, or from a file that was set aside.
func PurgeCopy(ctx context.Context, c backup.File, session string) error {
	const doing = "rewrite the copy"
	if c.Damaged {
		return &sqlite.Error{Doing: doing, Where: c.Path, Kind: fmt.Errorf("%w: it can only be deleted", ErrDamaged)}
	}
	s := unopened(c.Path, Options{})
	err := s.openWritable(ctx)
	if err == nil {
		err = s.Purge(ctx, session)
	}
	if errors.Is(err, ErrNotFound) { // only bytes of it are left, of a purge that had not come to its end
		err = s.FinishPurge(ctx)
	}
	return sqlite.Explain(doing, c.Path, errors.Join(err, s.Close()))
}

// deleteUnusedAttachments deletes the attachments that no message has.
func deleteUnusedAttachments(t *tx) {
	t.Exec(`DELETE FROM attachments WHERE hash NOT IN (SELECT hash FROM attached)`)
}
