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
	"strings"
	"time"

	"winnow/session/store/sqlite"
)

// keptBackups is how many automatic backups are kept.
const keptBackups = 7

// File is a backup in the folder of its history.
type File struct {
	Path     string
	Day      time.Time // when it was made, for an automatic one midnight UTC of that day
	Bytes    int64
	Sessions int // those in the trash included
	Messages int

	automatic bool // winnow made it itself
}

// Write copies the whole history in from, which is the file at path or in memory, to a new file that only the
// user may read, while others go on using it. The file takes its name when it is whole, checked and on the disk;
// a file that is there already is left alone, and the error is fs.ErrExist.
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
	defer func() {
		if err != nil {
			Discard(draft)
		}
	}()
	if err := sqlite.Copy(ctx, from, draft); err != nil {
		return "", err
	}
	db := sqlite.Pool(draft, sqlite.Scratch, 1)
	defer db.Close()
	if change != nil {
		if err = sqlite.InTx(ctx, db, change); err == nil {
			_, err = db.ExecContext(ctx, "VACUUM")
		}
	}
	if err == nil {
		err = sqlite.CheckIntegrity(ctx, db)
	}
	return draft, errors.Join(err, db.Close(), syncFile(draft))
}

// folder is where the automatic backups of a history stand.
func folder(path string) string { return filepath.Join(filepath.Dir(path), "backups") }

const dayLayout = "20060102"

// name is that of the backup of a history at a time.
func name(path string, at time.Time, layout string) string {
	return filepath.Join(folder(path), prefix(path)+at.UTC().Format(layout)+".db")
}

// prefix is how the names of a history's backups begin.
func prefix(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base)) + "-"
}

// dayOf is the time in the name of a backup: a day in that of an automatic one.
func dayOf(path, name string) (at time.Time, automatic, ok bool) {
	stamp, mine := strings.CutPrefix(name, prefix(path))
	stamp, whole := strings.CutSuffix(stamp, ".db")
	if !mine || !whole {
		return time.Time{}, false, false
	}
	if at, err := time.ParseInLocation(dayLayout, stamp, time.UTC); err == nil {
		return at, true, true
	}
	at, err := time.ParseInLocation(stampLayout, stamp, time.UTC)
	return at, false, err == nil
}

// Daily makes the automatic backup of this day with write, where there is none yet, and removes the oldest ones beyond
// seven. It returns the new file, "" for none.
func Daily(path string, now time.Time, write func(to string) error) (string, error) {
	made := name(path, now, dayLayout)
	if there(made) { // of several windows only one makes it
		return "", nil
	}
	if err := os.MkdirAll(folder(path), 0o700); err != nil {
		return "", sqlite.Explain("back up the chat history", folder(path), err)
	}
	// What is left of backups whose program ended before they were whole goes.
	for _, file := range filesBeside(path) {
		info, err := os.Stat(file)
		if strings.Contains(file, ".db.new-") && err == nil && now.Sub(info.ModTime()) > time.Hour {
			Discard(file)
		}
	}
	err := write(made)
	if errors.Is(err, fs.ErrExist) {
		return "", nil // another window was faster
	}
	if err != nil {
		return "", err
	}
	all := slices.DeleteFunc(files(path, now), func(f File) bool { return !f.automatic })
	for _, old := range all[min(keptBackups, len(all)):] {
		os.Remove(old.Path) // one more than seven does no harm
	}
	return made, nil
}

// Name is where a backup that the user asks for stands where no other name is given: among the
// automatic ones, named for this moment. It makes the folder. Such a backup is never removed.
func Name(path string, now time.Time) string {
	os.MkdirAll(folder(path), 0o700) // Write says what is wrong with it
	return name(path, now, stampLayout)
}

// files are the backups of a history in its folder, the newest first. One dated in the future, by a clock that was
// wrong, comes after all others. They are not read.
func files(path string, now time.Time) (out []File) {
	entries, _ := os.ReadDir(folder(path)) // none where none were made yet
	for _, e := range entries {
		day, automatic, ok := dayOf(path, e.Name())
		if !ok {
			continue
		}
		file := filepath.Join(folder(path), e.Name())
		out = append(out, File{Path: file, Day: day, Bytes: sqlite.Size(file), automatic: automatic})
	}
	slices.SortFunc(out, func(a, b File) int { return b.Day.Compare(a.Day) })
	past := slices.IndexFunc(out, func(f File) bool { return !f.Day.After(now) })
	if past > 0 {
		out = slices.Concat(out[past:], out[:past])
	}
	return out
}

// List returns the backups of the history at path in its folder, the newest first: those that winnow
// made itself and those that were asked for without a name of their own. One dated later than now comes
// last. The history itself need not be there. Files that cannot be read are left out.
func List(ctx context.Context, path string, now time.Time) []File {
	var readable []File
	for _, f := range files(realPath(path), now) {
		db := sqlite.Pool(f.Path, sqlite.Immutable, 1)
		_, err := sqlite.HasSchema(ctx, db)
		if err == nil {
			err = db.QueryRowContext(ctx, `
				SELECT
					(SELECT count(*) FROM sessions),
					(SELECT count(*) FROM messages)`).Scan(&f.Sessions, &f.Messages)
		}
		db.Close()
		if err == nil {
			readable = append(readable, f)
		}
	}
	return readable
}

// realPath is a path with its links resolved, where it leads to a file.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// NewestSound returns the newest backup of the history at path without a fault, and false where there is none.
func NewestSound(ctx context.Context, path string, now time.Time) (File, bool) {
	for _, b := range List(ctx, path, now) {
		db := sqlite.Pool(b.Path, sqlite.Immutable, 1)
		err := sqlite.CheckIntegrity(ctx, db)
		db.Close()
		if err == nil {
			return b, true
		}
	}
	return File{}, false
}
