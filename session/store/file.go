package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"winnow/session/store/sqlite"
)

// locate returns the path with its links resolved, after making folder and file where they are
// missing. Windows that name one file in different ways must agree on it.
func locate(path string, mustExist bool) (string, error) {
	doing := "open the chat history"
	if path == "" {
		return "", fmt.Errorf("%s: no file is named", doing)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", doing, err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		kind := fmt.Errorf("%w: it is a folder, and the history is one file", ErrNotHistory)
		return "", &sqlite.Error{Doing: doing, Where: path, Kind: kind}
	case err == nil && !info.Mode().IsRegular():
		kind := fmt.Errorf("%w: it is not an ordinary file", ErrNotHistory)
		return "", &sqlite.Error{Doing: doing, Where: path, Kind: kind}
	case errors.Is(err, os.ErrNotExist) && mustExist:
		return "", &sqlite.Error{Doing: doing, Where: path, Kind: missing{}, Cause: err}
	case errors.Is(err, os.ErrNotExist):
		if err := create(path); err != nil {
			return "", err
		}
	case err != nil:
		return "", sqlite.FileError(doing, path, err)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", sqlite.FileError(doing, path, err)
	}
	return real, nil
}

// create makes the folder and an empty file that only the user may read. The file appears under its
// name by a link: a file that SQLite has open must not be opened and closed by anyone else in the
// same program, because closing it drops SQLite's locks.
func create(path string) error {
	doing := "create the chat history"
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return sqlite.FileError(doing, folder, err)
	}
	f, err := os.CreateTemp(folder, ".winnow-new-") // 0600
	if err != nil {
		return sqlite.FileError(doing, folder, err)
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return sqlite.FileError(doing, folder, err)
	}
	if os.Link(f.Name(), path) == nil {
		return nil
	}
	// Another window was faster, or the file system has no links: then the name is taken outright.
	f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return sqlite.FileError(doing, path, err)
	}
	return nil
}
