package backup

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

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
func Copies(ctx context.Context, path, session string) ([]Copy, error) {
	var out []Copy
	for _, file := range filesBeside(realPath(path)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		holds, err := holdsSession(ctx, file, session)
		if holds || err != nil {
			out = append(out, Copy{Path: file, Damaged: err != nil})
		}
	}
	return out, nil
}

// filesBeside are the files that hold an earlier state of the history at path.
func filesBeside(path string) (out []string) {
	for _, dir := range []string{folder(path), filepath.Dir(path)} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // no copy was made there yet
		}
		for _, e := range entries {
			if e.Type().IsRegular() && isCopy(path, e.Name()) {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out
}

// isCopy reports whether a name is that of a backup, of a file that was set aside or of a draft of either.
func isCopy(path, name string) bool {
	for _, end := range []string{"-journal", "-wal", "-shm"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	if kind, ok := strings.CutPrefix(name, filepath.Base(path)+"."); ok {
		return strings.HasPrefix(kind, "damaged-") || strings.HasPrefix(kind, "before-restore-") ||
			strings.HasPrefix(kind, "new-")
	}
	name, _, _ = strings.Cut(name, ".new-")
	_, _, ok := dayOf(path, name)
	return ok
}

// DamagedFiles are the files that were set aside as damaged beside the history at path.
func DamagedFiles(path string) []string {
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

// Rewrite writes the copy anew after a change, which may leave no trace of what it deletes. Whatever fails,
// the copy is then as it was before.
func (c Copy) Rewrite(ctx context.Context, change func(tx *sql.Tx) error) error {
	const doing = "rewrite the copy"
	if c.Damaged {
		kind := fmt.Errorf("%w: it can only be deleted", sqlite.ErrDamaged)
		return &sqlite.Error{Doing: doing, Where: c.Path, Kind: kind}
	}
	from := openCopy(c.Path)
	defer from.Close()
	err := put(ctx, from, c.Path, change)
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
		return sqlite.Explain("delete the copy", c.Path, fs.ErrPermission)
	}
	return syncFolder(c.Path)
}
