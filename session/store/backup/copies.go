package backup

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"winnow/session/store/sqlite"
)

// Copy is a file beside the history that holds a session, or may hold it: a backup, a file that was set
// aside, or what is left of a copy that was never finished.
type Copy struct {
	Path    string
	Damaged bool // it cannot be read as a history, so it can be deleted and not rewritten
}

// Copies returns the backups and the files set aside beside the history at path that hold a session. A
// damaged file is one of them where it may hold it: unless the session was begun after it was set aside.
func Copies(ctx context.Context, path, session string, begun time.Time) ([]Copy, error) {
	if path == sqlite.Memory {
		return nil, nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	var out []Copy
	for _, file := range filesBeside(path) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		holds, err := holdsSession(ctx, file, session)
		switch {
		case err == nil && holds:
			out = append(out, Copy{Path: file})
		case err != nil && (mentions(file, session) || !setAsideBefore(path, file, begun)):
			out = append(out, Copy{Path: file, Damaged: true})
		}
	}
	return out, nil
}

// filesBeside are the files that hold an earlier state of the history at path.
func filesBeside(path string) []string {
	list := func(folder string, mine func(name string) bool) (out []string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil // no copy was made there yet
		}
		for _, e := range entries {
			journal := slices.ContainsFunc(append([]string{"-journal"}, besides...), func(end string) bool { return strings.HasSuffix(e.Name(), end) })
			if e.Type().IsRegular() && !journal && mine(e.Name()) {
				out = append(out, filepath.Join(folder, e.Name()))
			}
		}
		return out
	}
	base := filepath.Base(path) + "."
	out := list(folder(path), func(name string) bool {
		name, _, _ = strings.Cut(name, ".db.new-")
		_, _, ok := dayOf(path, strings.TrimSuffix(name, ".db")+".db")
		return ok
	})
	return append(out, list(filepath.Dir(path), func(name string) bool {
		rest, ok := strings.CutPrefix(name, base)
		return ok && slices.ContainsFunc([]string{"damaged-", "before-restore-", "new-", "next"}, func(kind string) bool { return strings.HasPrefix(rest, kind) })
	})...)
}

// DamagedFiles are the files that were set aside as damaged beside the history at path.
func DamagedFiles(path string) []string {
	if path == sqlite.Memory {
		return nil
	}
	return slices.DeleteFunc(filesBeside(path), func(file string) bool { return !isDamaged(file) })
}

// isDamaged reports whether a file was set aside as damaged, by its name.
func isDamaged(file string) bool { return strings.Contains(filepath.Base(file), ".damaged-") }

// openCopy opens a copy for reading, with its journal where it has one.
func openCopy(file string) *sql.DB {
	if sqlite.HasJournal(file) {
		return sqlite.Pool(file, sqlite.ReadOnly, 1)
	}
	return sqlite.Pool(file, sqlite.Immutable, 1)
}

// holdsSession reports whether a copy has a session. The error is for a file that cannot be read whole.
func holdsSession(ctx context.Context, file, id string) (bool, error) {
	db := openCopy(file)
	defer db.Close()
	there, err := sqlite.HasSchema(ctx, db)
	if err != nil || !there {
		return false, err // an empty file holds nothing
	}
	if isDamaged(file) {
		if err := sqlite.CheckIntegrity(ctx, db); err != nil {
			return false, err
		}
	}
	var holds bool
	err = db.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sessions WHERE id = ?)`, id).Scan(&holds)
	return holds, err
}

// mentions reports whether a text is anywhere in a file or its journal, or whether that cannot be known.
func mentions(file, text string) bool {
	for _, end := range []string{"", "-wal"} {
		found, err := sqlite.FileContains(file+end, []byte(text))
		if found || err != nil && !errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	return false
}

// setAsideBefore reports whether a file was set aside before a moment, by the time in its name.
func setAsideBefore(path, file string, moment time.Time) bool {
	_, stamp, _ := strings.Cut(strings.TrimPrefix(filepath.Base(file), filepath.Base(path)+"."), "-")
	at, err := time.ParseInLocation(stampLayout, stamp[:min(len(stamp), len(stampLayout))], time.UTC)
	return err == nil && at.Before(moment)
}

// Rewrite writes the copy anew after a change, which may leave no trace of what it deletes. Whatever fails,
// the copy is then as it was before.
func (c Copy) Rewrite(ctx context.Context, change func(tx *sql.Tx) error) error {
	doing := "rewrite the copy"
	before, err := os.Stat(c.Path)
	if err != nil {
		return missingError(doing, c.Path, err)
	}
	if c.Damaged {
		return &sqlite.Error{Doing: doing, Where: c.Path, Kind: fmt.Errorf("%w: it can only be deleted", sqlite.ErrDamaged)}
	}
	draft, err := Draft(c.Path)
	if err != nil {
		return sqlite.FileError(doing, c.Path, err)
	}
	defer Discard(draft)
	if err := copyChanged(ctx, c.Path, draft, change); err != nil {
		return sqlite.Explain(doing, c.Path, err)
	}
	// Its time decides which backups are due, and is that of what it holds.
	if err := os.Chtimes(draft, before.ModTime(), before.ModTime()); err != nil {
		return sqlite.Explain(doing, c.Path, err)
	}
	if err := os.Rename(draft, c.Path); err != nil {
		return sqlite.FileError(doing, c.Path, err)
	}
	c.removeBesides() // the new file has all that was in them
	return syncFolder(c.Path)
}

func (c Copy) removeBesides() {
	for _, end := range besides {
		os.Remove(c.Path + end)
	}
}

// copyChanged copies a history of any schema into an empty file and changes the copy.
func copyChanged(ctx context.Context, from, draft string, change func(tx *sql.Tx) error) error {
	source := openCopy(from)
	defer source.Close()
	if err := sqlite.Copy(ctx, source, draft); err != nil {
		return err
	}
	db := sqlite.Pool(draft, sqlite.Scratch, 1)
	defer db.Close()
	if err := sqlite.InTx(ctx, db, change); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM"); err != nil {
		return err
	}
	if err := sqlite.CheckIntegrity(ctx, db); err != nil {
		return err
	}
	return errors.Join(db.Close(), syncFile(draft))
}

// Delete removes the copy with its journal.
func (c Copy) Delete() error {
	if err := os.Remove(c.Path); err != nil {
		return missingError("delete the copy", c.Path, err)
	}
	c.removeBesides()
	return syncFolder(c.Path)
}
