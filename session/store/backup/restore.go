package backup

import (
	"context"
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
