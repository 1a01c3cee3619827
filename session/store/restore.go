package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"winnow/session/store/sqlite"
)

// Restore puts a copy of the history at from in the place of the one at path. The present file is set
// aside beside it, whole and under a dated name, which is returned; "" says that there was none. While
// a window has the history open nothing is changed and the error is ErrBusy.
func Restore(ctx context.Context, path, from string, now time.Time) (aside string, err error) {
	doing := "restore the chat history"
	all, err := sqlite.Steps()
	if err != nil {
		return "", err
	}
	path, err = filepath.Abs(path)
	if err == nil {
		from, err = filepath.Abs(from)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
	}
	var held *os.File
	if there(path) {
		if held, err = claim(path); errors.Is(err, ErrBusy) {
			return "", &trouble{doing: doing, where: path, kind: errOpenElsewhere}
		}
		if err != nil {
			return "", &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
		}
		defer held.Close()
	}
	draft, err := blank(path)
	if err != nil {
		return "", &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
	}
	defer removeDatabase(draft)
	if err := copyBackup(ctx, from, draft, len(all)); err != nil {
		return "", explain(doing, from, err)
	}
	if err := os.Rename(draft, wholeFile(path)); err != nil {
		return "", explain(doing, path, err)
	}
	if held == nil {
		return "", explain(doing, path, errors.Join(os.Rename(wholeFile(path), path), syncFolder(path)))
	}
	aside = asideName(path, "before-restore", now)
	return aside, explain(doing, path, exchange(path, aside))
}

// errOpenElsewhere says why the file cannot be exchanged now.
var errOpenElsewhere = fmt.Errorf("%w: a winnow window has it open; close that one first", ErrBusy)

// copyBackup copies a history with its journal and checks the copy.
func copyBackup(ctx context.Context, from, draft string, know int) error {
	if _, err := os.Stat(from); err != nil {
		return &trouble{doing: "restore the chat history", where: from, kind: notThere(err), cause: err}
	}
	m := sqlite.ReadOnly
	if !journaled(from) {
		m = sqlite.Immutable
	}
	db := sqlite.Pool(from, m, 1)
	defer db.Close()
	version, err := sqlite.SchemaVersion(ctx, db)
	if err != nil {
		return err
	}
	if version > know {
		return &sqlite.NewerError{Have: version, Know: know}
	}
	if version == 0 {
		return ErrNotHistory
	}
	return copyChecked(ctx, db, draft)
}

func notThere(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: there is no such file", ErrNotFound)
	}
	return noAccess(err)
}
