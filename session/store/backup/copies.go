package backup

import (
	"context"
	"database/sql"
	"fmt"
	"os"

	"winnow/session/store/sqlite"
)

// Copy is a file beside the history that holds a session, or may hold it: a backup, a file that was set
// aside, or what is left of a copy that was never finished.
type Copy struct {
	Path    string
	Damaged bool // it cannot be read as a history, so it can be deleted and not rewritten
}

// Copies returns the backups and the files set aside beside the history at path that hold a session, and the damaged
// ones, which may hold it.
func Copies(ctx context.Context, path, session string) (copies []Copy, err error) {
	for _, f := range filesBeside(realPath(path)) {
		holds, err := holdsSession(ctx, f, session)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if holds || err != nil {
			copies = append(copies, Copy{Path: f.Path, Damaged: err != nil})
		}
	}
	return copies, nil
}

// openCopy opens a copy of a history for reading.
func openCopy(ctx context.Context, file string) (*sql.DB, error) {
	db := sqlite.Unchanging(file)
	there, err := sqlite.HasSchema(ctx, db)
	if err == nil && !there {
		err = sqlite.ErrNotHistory
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// holdsSession reports whether a copy has a session. The error is for a file that cannot be read whole.
func holdsSession(ctx context.Context, f File, id string) (holds bool, err error) {
	if f.Bytes == 0 && !sqlite.HasJournal(f.Path) {
		return false, nil
	}
	db, err := openCopy(ctx, f.Path)
	if err != nil {
		return false, err
	}
	defer db.Close()
	if f.damaged {
		err = sqlite.CheckIntegrity(ctx, db)
	}
	if err == nil {
		err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?)`, id).Scan(&holds)
	}
	return holds, err
}

// Rewrite writes the copy anew after a change, which may leave no trace of what it deletes. Whatever fails,
// the copy is then as it was before.
func (c Copy) Rewrite(ctx context.Context, change func(tx *sql.Tx) error) error {
	const doing = "rewrite the copy"
	if c.Damaged {
		kind := fmt.Errorf("%w: it can only be deleted", sqlite.ErrDamaged)
		return &sqlite.Error{Doing: doing, Where: c.Path, Kind: kind}
	}
	from, err := openCopy(ctx, c.Path)
	if err == nil {
		defer from.Close()
		err = put(ctx, from, c.Path, change)
	}
	if err == nil {
		os.Remove(c.Path + "-wal") // the new file has all that was in it
		os.Remove(c.Path + "-shm")
	}
	return sqlite.Explain(doing, c.Path, err)
}

// Delete removes the copy with its journal.
func (c Copy) Delete() error {
	Discard(c.Path)
	if there(c.Path) {
		return &sqlite.Error{Doing: "delete the copy", Where: c.Path, Kind: sqlite.ErrNoAccess}
	}
	return syncFolder(c.Path)
}
