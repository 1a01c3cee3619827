package backup

import (
	"context"
	"database/sql"

	"winnow/session/store/sqlite"
)

// FilesWithSession returns the files beside the history at path that contain a session: backups, files that were set
// aside, and unfinished copies. It includes damaged files, which may contain it.
func FilesWithSession(ctx context.Context, path, session string) (copies []File, err error) {
	for _, f := range filesBeside(path) {
		holds, err := holdsSession(ctx, f, session)
		f.Damaged = f.Damaged || err != nil
		if holds || f.Damaged {
			copies = append(copies, f)
		}
	}
	return copies, ctx.Err()
}

// openCopy opens a copy of a history for reading.
func openCopy(ctx context.Context, file string) (*sql.DB, error) {
	db := sqlite.OpenUnchanging(file)
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

// holdsSession reports whether a copy contains a session, or bytes of one whose purge was not finished. The error is
// non-nil if the file cannot be read.
func holdsSession(ctx context.Context, f File, id string) (holds bool, err error) {
	if f.Damaged || f.Bytes == 0 && !sqlite.HasWAL(f.Path) {
		return false, nil
	}
	db, err := openCopy(ctx, f.Path)
	if err != nil {
		return false, err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?) OR EXISTS (SELECT 1 FROM purged)`, id).Scan(&holds)
	return holds, err
}
