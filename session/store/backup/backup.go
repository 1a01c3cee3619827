// Package backup makes and restores copies of a history in the folder beside it, lists those copies and the files that
// were set aside, and replaces one database file by another so that neither a power cut nor another window loses data.
// It knows SQLite files and the version of their schema, but hardly any rows.
package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"winnow/session/store/sqlite"
)

// keptBackups is the number of automatic backups that are kept.
const keptBackups = 7

// Write copies the whole history to a new file that only the user may read. Other programs may use the history
// meanwhile. from is a connection to the history, and path its file, for error messages. The new file gets its name
// after it has been checked and synced to disk. If a file named to exists, the error is fs.ErrExist.
func Write(ctx context.Context, from *sql.DB, path, to string) error {
	const doing = "back up the chat history"
	if exists(to) {
		kind := fmt.Errorf("%w: it was not overwritten", fs.ErrExist)
		return &sqlite.Error{Doing: doing, Where: to, Kind: kind}
	}
	err := replaceFile(to, func(draft string) error { return checkedCopy(ctx, from, draft) })
	if sqlite.IsDamaged(err) {
		to = path
	}
	return sqlite.Explain(doing, to, err)
}

// checkedCopy copies a database to an empty file, syncs it and checks its integrity. Other programs may use the
// database meanwhile. The copy contains no deleted data.
func checkedCopy(ctx context.Context, from *sql.DB, to string) error {
	if _, err := from.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return err
	}
	db := sqlite.OpenUnchanging(to)
	defer db.Close()
	return sqlite.CheckIntegrity(ctx, db)
}

// WriteDaily writes today's automatic backup by calling write, unless it exists, and removes all but the newest seven.
// It returns the path of the new file, or "" if it wrote none.
func WriteDaily(path string, now time.Time, write func(to string) error) (string, error) {
	made := pathAt(path, now, dayLayout)
	if exists(made) { // only one of several windows makes it
		return "", nil
	}
	// Remove unfinished copies of programs that died.
	for _, f := range filesBeside(path) {
		info, err := os.Stat(f.Path)
		if f.draft && err == nil && now.Sub(info.ModTime()) > time.Hour {
			RemoveDatabase(f.Path)
		}
	}
	err := write(made)
	if errors.Is(err, fs.ErrExist) {
		return "", nil // another window was faster
	}
	if err != nil {
		return "", err
	}
	all := slices.DeleteFunc(List(path, now), func(f File) bool { return !f.automatic })
	for _, old := range all[min(keptBackups, len(all)):] {
		os.Remove(old.Path) // an extra backup does no harm
	}
	return made, nil
}

// NewPath returns the path for a backup that the user requests without naming a file: in the backup folder, with the
// date and time. Such a backup is never removed automatically. NewPath creates the folder.
func NewPath(path string, now time.Time) string { return pathAt(path, now, stampLayout) }

// NewestIntact returns the newest backup of the history at path that passes an integrity check, or a File without a
// Path if there is none.
func NewestIntact(ctx context.Context, path string, now time.Time) File {
	for _, f := range List(path, now) {
		db, err := openCopy(ctx, f.Path)
		if err == nil {
			err = sqlite.CheckIntegrity(ctx, db)
			db.Close()
		}
		if err == nil {
			return f
		}
	}
	return File{}
}
