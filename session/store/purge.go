package store

import (
	"context"
	"errors"
	"fmt"

	"winnow/session/store/backup"
	"winnow/session/store/sqlite"
)

// ErrNotOverwritten reports that a session is deleted but some of its bytes are still in the file. FinishPurge
// overwrites them later.
var ErrNotOverwritten = errors.New("the chat is deleted, but its text could not be overwritten " +
	"while another window is open; this is done once the other windows are closed")

// Purge deletes a session permanently with everything that belongs to it, and overwrites its text: if it returns nil,
// neither the file nor its write-ahead log contains a byte of it. It rewrites the whole file, which takes about one
// second per 100 MB. It asks for no confirmation and does not touch backups; see PurgeCopy.
func (s *Store) Purge(ctx context.Context, id string) error {
	err := s.save(ctx, "purge the chat", func(t *tx) {
		n := sessionKey(t, id)
		if thisMachine(t).Folder != "" { // the history is synced, so the other machines must purge it too
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

// purgeRows deletes the rows of a session, including its prompts, and removes its words from the search index.
// FinishPurge overwrites their bytes.
func purgeRows(t *tx, n int64) {
	unindex(t, "session = ?", n)
	notePurged(t)
	t.Exec(`DELETE FROM drafts WHERE session = ?`, n)
	t.Exec(`DELETE FROM sessions WHERE n = ?`, n)
	deleteUnusedAttachments(t)
}

// notePurged records that FinishPurge is needed. Deleting a row from an FTS4 table only adds a note to the index that
// its words are gone.
func notePurged(t *tx) { t.Exec(`INSERT OR REPLACE INTO purged (id, gathered) VALUES (1, 0)`) }

// FinishPurge overwrites the bytes of purged sessions, also in the search index. Purge calls it; call it again after
// Purge returned ErrNotOverwritten.
func (s *Store) FinishPurge(ctx context.Context) error {
	purged, err := inTx(ctx, s.view, "look for purged text", func(t *tx) bool {
		return s.path != sqlite.InMemory && sqlite.QueryValue[bool](t, `SELECT EXISTS (SELECT 1 FROM purged)`)
	})
	if !purged || err != nil {
		return err
	}
	// Merging the index into one segment, which drops the removed words, takes about one second per 200,000 messages.
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
	return sqlite.Explain("purge the chat", s.path, err)
}

// overwritePurged rewrites the file to overwrite the text of purged sessions.
func (s *Store) overwritePurged(ctx context.Context) error {
	return s.write(ctx, "overwrite the purged text", func() error {
		db := sqlite.OpenPool(s.path, sqlite.ModeDurable, 1)
		defer db.Close()
		if err := Rewrite(ctx, db, s.busyTimeout); err != nil {
			return err
		}
		return Retry(ctx, s.busyTimeout, func() error {
			_, err := db.ExecContext(ctx, "DELETE FROM purged WHERE gathered = 1")
			return err
		})
	})
}

// PurgeCopy purges a session from a backup of the history or from a file that was set aside. A damaged copy cannot be
// rewritten: the error is ErrDamaged.
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
	if errors.Is(err, ErrNotFound) { // only bytes of it are left, from a purge that was not finished
		err = s.FinishPurge(ctx)
	}
	return sqlite.Explain(doing, c.Path, errors.Join(err, s.Close()))
}

// deleteUnusedAttachments deletes the attachments that no message refers to.
func deleteUnusedAttachments(t *tx) {
	t.Exec(`DELETE FROM attachments WHERE hash NOT IN (SELECT hash FROM attached)`)
}
