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
	draft, err := copyForRestore(ctx, doing, from, path)
	if err != nil {
		return "", sqlite.Explain(doing, from, err)
	}
	defer Discard(draft)
	if held == nil {
		return "", sqlite.Explain(doing, path, errors.Join(os.Rename(draft, path), syncFolder(path)))
	}
	aside, err = Replace(held, path, draft, "before-restore", now)
	return aside, sqlite.Explain(doing, path, err)
}

// errOpen is the reason why the file cannot be replaced now.
var errOpen = fmt.Errorf("%w: winnow is running with it; quit winnow first", sqlite.ErrBusy)

// copyForRestore copies a history with its write-ahead log into a draft for the file at path.
func copyForRestore(ctx context.Context, doing, from, path string) (draft string, err error) {
	if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
		kind := fmt.Errorf("%w: there is no such file", sqlite.ErrNotFound)
		return "", &sqlite.Error{Doing: doing, Where: from, Kind: kind, Cause: err}
	}
	db := openCopy(from)
	defer db.Close()
	there, err := sqlite.HasSchema(ctx, db)
	if err == nil && !there {
		err = sqlite.ErrNotHistory
	}
	if err != nil {
		return "", err
	}
	return checkedCopy(ctx, doing, db, path, nil)
}
