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
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", sqlite.Explain(doing, path, err)
	}
	db, err := openCopy(ctx, from)
	if err != nil {
		return "", sqlite.Explain(doing, from, err)
	}
	defer db.Close()
	draft, err := checkedCopy(ctx, db, path, nil)
	if err != nil {
		return "", sqlite.Explain(doing, from, err)
	}
	defer Discard(draft)
	if !there(path) {
		return "", sqlite.Explain(doing, path, Replace(path, draft))
	}
	held, err := Claim(path)
	if errors.Is(err, sqlite.ErrBusy) {
		err = errOpen
	}
	if err != nil {
		return "", sqlite.Explain(doing, path, err)
	}
	defer held.Close()
	if aside, err = SetAside(held, path, "before-restore", now); err == nil {
		err = Replace(path, draft)
	}
	return aside, sqlite.Explain(doing, path, err)
}

// errOpen is the reason why the file cannot be replaced now.
var errOpen = fmt.Errorf("%w: winnow is running with it; quit winnow first", sqlite.ErrBusy)
