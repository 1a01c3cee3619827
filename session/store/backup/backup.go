// Package backup keeps copies of a history beside it: the backups in their folder, the files that were set
// aside when another took their place, and how files take each other's place so that a power cut or another
// window loses none. It knows SQLite files and their schema's version, and hardly a row in them.
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

// keptBackups is how many automatic backups are kept.
const keptBackups = 7

// Write copies the whole history in from, which is the file at path, to a new file that only the user may read, while
// others go on using it. The file takes its name when it is whole, checked and on the disk; a file that is there
// already is left alone, and the error is fs.ErrExist.
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

// checkedCopy copies a database to an empty file, while others may go on using it, and has the copy on the disk. The
// copy has no byte of what was deleted. It is read, because a damaged one is no backup.
func checkedCopy(ctx context.Context, from *sql.DB, to string) error {
	if _, err := from.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return err
	}
	db := sqlite.OpenUnchanging(to)
	defer db.Close()
	return sqlite.CheckIntegrity(ctx, db)
}

// WriteDaily makes the automatic backup of this day with write, where there is none yet, and removes the oldest ones beyond
// seven. It returns the new file, "" for none.
func WriteDaily(path string, now time.Time, write func(to string) error) (string, error) {
	made := pathAt(path, now, dayLayout)
	if exists(made) { // of several windows only one makes it
		return "", nil
	}
	// What is left of copies whose program ended before they were whole goes.
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
		os.Remove(old.Path) // one more than seven does no harm
	}
	return made, nil
}

// NewPath is where a backup that the user asks for stands where no other name is given: among the automatic ones, named
// for this moment. It makes the folder. Such a backup is never removed.
func NewPath(path string, now time.Time) string { return pathAt(path, now, stampLayout) }

// NewestIntact returns the newest backup of the history at path without a fault, and one without a path where there is
// none.
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
