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
	"path/filepath"
	"slices"
	"time"

	"winnow/session/store/sqlite"
)

// keptBackups is how many automatic backups are kept.
const keptBackups = 7

// Write copies the whole history in from, which is the file at path, to a new file that only the user may read, while
// others go on using it. The file takes its name when it is whole, checked and on the disk; a file that is there
// already is left alone, and the error is fs.ErrExist. The connections of from are for reading only.
func Write(ctx context.Context, from *sql.DB, path, to string) error {
	const doing = "back up the chat history"
	if there(to) {
		kind := fmt.Errorf("%w: it was not overwritten", fs.ErrExist)
		return &sqlite.Error{Doing: doing, Where: to, Kind: kind}
	}
	err := put(ctx, from, to, nil)
	if sqlite.IsDamage(err) {
		to = path
	}
	return sqlite.Explain(doing, to, err)
}

// put puts a checked copy of a database in the place of a file.
func put(ctx context.Context, from *sql.DB, file string, change func(tx *sql.Tx) error) error {
	draft, err := checkedCopy(ctx, from, file, change)
	if err != nil {
		return err
	}
	defer Discard(draft)
	return errors.Join(os.Rename(draft, file), syncFolder(file))
}

// checkedCopy copies a database into a draft for a file, changes the copy where change is not nil, so that no trace is
// left of what it deletes, reads the copy, because a damaged one is no backup, and has it on the disk.
func checkedCopy(
	ctx context.Context, from *sql.DB, file string, change func(tx *sql.Tx) error,
) (draft string, err error) {
	if draft, err = Draft(file); err != nil {
		return "", err
	}
	db := sqlite.Pool(draft, sqlite.Scratch, 1)
	err = sqlite.Copy(ctx, from, draft)
	if err == nil && change != nil {
		if err = sqlite.InTx(ctx, db, change); err == nil {
			_, err = db.ExecContext(ctx, "VACUUM")
		}
	}
	if err == nil {
		err = sqlite.CheckIntegrity(ctx, db)
	}
	if err = errors.Join(err, db.Close(), syncFile(draft)); err != nil {
		Discard(draft)
	}
	return draft, err
}

// Daily makes the automatic backup of this day with write, where there is none yet, and removes the oldest ones beyond
// seven. It returns the new file, "" for none.
func Daily(path string, now time.Time, write func(to string) error) (string, error) {
	made := name(path, now, dayLayout)
	if there(made) { // of several windows only one makes it
		return "", nil
	}
	if err := os.MkdirAll(filepath.Dir(made), 0o700); err != nil {
		return "", sqlite.Explain("back up the chat history", filepath.Dir(made), err)
	}
	// What is left of copies whose program ended before they were whole goes.
	for _, f := range filesBeside(path) {
		info, err := os.Stat(f.Path)
		if f.draft && err == nil && now.Sub(info.ModTime()) > time.Hour {
			Discard(f.Path)
		}
	}
	err := write(made)
	if errors.Is(err, fs.ErrExist) {
		return "", nil // another window was faster
	}
	if err != nil {
		return "", err
	}
	all := slices.DeleteFunc(backups(path, now), func(f File) bool { return !f.automatic })
	for _, old := range all[min(keptBackups, len(all)):] {
		os.Remove(old.Path) // one more than seven does no harm
	}
	return made, nil
}

// Name is where a backup that the user asks for stands where no other name is given: among the
// automatic ones, named for this moment. It makes the folder. Such a backup is never removed.
func Name(path string, now time.Time) string {
	file := name(path, now, stampLayout)
	os.MkdirAll(filepath.Dir(file), 0o700) // Write says what is wrong with it
	return file
}

// List returns the backups of the history at path in its folder, the newest first: those that winnow made itself and
// those that were asked for without a name of their own. The history itself need not be there. Those dated later than
// now, by a clock that was wrong, are left out.
func List(path string, now time.Time) []File { return backups(realPath(path), now) }

// NewestSound returns the newest backup of the history at path without a fault, and false where there is none.
func NewestSound(ctx context.Context, path string, now time.Time) (File, bool) {
	for _, f := range List(path, now) {
		db, err := openCopy(ctx, f.Path)
		if err == nil {
			err = sqlite.CheckIntegrity(ctx, db)
			db.Close()
		}
		if err == nil {
			return f, true
		}
	}
	return File{}, false
}
