package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"winnow/session/store/sqlite"
)

// locate returns the path with its links resolved, after making folder (0700) and file (0600) where they are missing.
// Windows that name one file in different ways must agree on it.
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
	if errors.Is(err, os.ErrNotExist) && mustExist {
		return "", &sqlite.Error{Doing: doing, Where: path, Kind: missing{}, Cause: err}
	}
	if errors.Is(err, os.ErrNotExist) {
		if err := create(path); err != nil {
			return "", sqlite.Explain("create the chat history", filepath.Dir(path), err)
		}
		info, err = os.Stat(path)
	}
	if err == nil && !info.Mode().IsRegular() {
		kind := fmt.Errorf("%w: it is a folder or a device, and the history is one file", ErrNotHistory)
		return "", &sqlite.Error{Doing: doing, Where: path, Kind: kind}
	}
	if err == nil {
		path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		return "", sqlite.Explain(doing, path, err)
	}
	return path, nil
}

// create makes the folder and an empty file that only the user may read.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil // another window was faster
	}
	if err != nil {
		return err
	}
	return f.Close()
}
