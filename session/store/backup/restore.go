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
	const doing = "restore the chat history"
	if !there(from) {
		kind := fmt.Errorf("%w: there is no such file", sqlite.ErrNotFound)
		return "", &sqlite.Error{Doing: doing, Where: from, Kind: kind}
	}
	path = realPath(path)
	err = os.MkdirAll(filepath.Dir(path), 0o700)
	var held *os.File
	if err == nil && there(path) {
		if held, err = Claim(path); errors.Is(err, sqlite.ErrBusy) {
			return "", &sqlite.Error{Doing: doing, Where: path, Kind: errOpen}
		}
		defer held.Close()
	}
	if err != nil {
		return "", sqlite.Explain(doing, path, err)
	}
	db := openCopy(from)
	defer db.Close()
	whole, err := sqlite.HasSchema(ctx, db)
	if err == nil && !whole {
		err = sqlite.ErrForeign
	}
	var draft string
	if err == nil {
		draft, err = checkedCopy(ctx, db, path, nil)
	}
	if err != nil {
		return "", sqlite.Explain(doing, from, err)
	}
	defer Discard(draft)
	if held == nil {
		err = errors.Join(os.Rename(draft, path), syncFolder(path))
	} else {
		aside, err = Replace(held, path, draft, "before-restore", now)
	}
	return aside, sqlite.Explain(doing, path, err)
}

// errOpen is the reason why the file cannot be replaced now.
var errOpen = fmt.Errorf("%w: winnow is running with it; quit winnow first", sqlite.ErrBusy)
