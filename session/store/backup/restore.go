package backup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"winnow/session/store/sqlite"
)

// Restore replaces the history at path by a checked copy of the backup at from. The current file is set aside beside
// it, unchanged; Restore returns its new path, or "" if there was none. If a program has the history open, nothing
// changes and the error is sqlite.ErrBusy.
func Restore(ctx context.Context, path, from string, now time.Time) (aside string, err error) {
	const doing = "restore the chat history"
	if !exists(from) {
		kind := fmt.Errorf("%w: there is no such file", sqlite.ErrNotFound)
		return "", &sqlite.Error{Doing: doing, Where: from, Kind: kind}
	}
	db, err := openCopy(ctx, from)
	if err != nil {
		return "", sqlite.Explain(doing, from, err)
	}
	defer db.Close()
	path = realPath(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", sqlite.Explain(doing, path, err)
	}
	aside, err = ReplaceDatabase(path, "before-restore", now, func(_, draft string) error {
		return sqlite.Explain(doing, from, checkedCopy(ctx, db, draft))
	})
	return aside, sqlite.Explain(doing, path, err)
}
