package backup

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
// aside beside it, whole and under a dated name, which is returned; "" where there was none. While
// a window has the history open nothing is changed and the error is sqlite.ErrBusy.
func Restore(ctx context.Context, path, from string, now time.Time) (aside string, err error) {
	doing := "restore the chat history"
	path, err = filepath.Abs(path)
	if err == nil {
		from, err = filepath.Abs(from)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	path = realPath(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", sqlite.FileError(doing, path, err)
	}
	var held *os.File
	if there(path) {
		if held, err = Claim(path); errors.Is(err, sqlite.ErrBusy) {
			return "", &sqlite.Error{Doing: doing, Where: path, Kind: errOpen}
		}
		if err != nil {
			return "", sqlite.FileError(doing, path, err)
		}
		defer held.Close()
	}
	draft, err := Draft(path)
	if err != nil {
		return "", sqlite.FileError(doing, path, err)
	}
	defer Discard(draft)
	if err := copyBackup(ctx, from, draft); err != nil {
		return "", sqlite.Explain(doing, from, err)
	}
	if held == nil {
		return "", sqlite.Explain(doing, path, errors.Join(os.Rename(draft, path), syncFolder(path)))
	}
	aside, err = Replace(held, path, draft, "before-restore", now)
	return aside, sqlite.Explain(doing, path, err)
}

// errOpen is the reason why the file cannot be replaced now.
var errOpen = fmt.Errorf("%w: winnow is running with it; quit winnow first", sqlite.ErrBusy)

// copyBackup copies a history with its journal and checks the copy.
func copyBackup(ctx context.Context, from, draft string) error {
	if _, err := os.Stat(from); err != nil {
		return missingError("restore the chat history", from, err)
	}
	db := openCopy(from)
	defer db.Close()
	there, err := sqlite.HasSchema(ctx, db)
	if err != nil {
		return err
	}
	if !there {
		return sqlite.ErrNotHistory
	}
	return copyChecked(ctx, db, draft)
}

// missingError is the error of a file that may not be there.
func missingError(doing, where string, err error) error {
	if errors.Is(err, os.ErrNotExist) {
		kind := fmt.Errorf("%w: there is no such file", sqlite.ErrNotFound)
		return &sqlite.Error{Doing: doing, Where: where, Kind: kind, Cause: err}
	}
	return sqlite.FileError(doing, where, err)
}
