package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
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
		return "", &trouble{doing: doing, where: path, kind: fmt.Errorf("%w: it is a folder, and the history is one file", ErrNotHistory)}
	case err == nil && !info.Mode().IsRegular():
		return "", &trouble{doing: doing, where: path, kind: fmt.Errorf("%w: it is not an ordinary file", ErrNotHistory)}
	case errors.Is(err, os.ErrNotExist) && mustExist:
		return "", &trouble{doing: doing, where: path, kind: missing{}, cause: err}
	case errors.Is(err, os.ErrNotExist):
		if err := resume(path); err != nil {
			return "", &trouble{doing: doing, where: wholeFile(path), kind: noAccess(err), cause: err}
		}
		if err := create(path); err != nil {
			return "", err
		}
	case err != nil:
		return "", &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
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
		return &trouble{doing: doing, where: folder, kind: noAccess(err), cause: err}
	}
	f, err := os.CreateTemp(folder, ".winnow-new-") // 0600
	if err != nil {
		return &trouble{doing: doing, where: folder, kind: noAccess(err), cause: err}
	}
	defer os.Remove(f.Name())
	if err := f.Close(); err != nil {
		return &trouble{doing: doing, where: folder, kind: noAccess(err), cause: err}
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
		return &trouble{doing: doing, where: path, kind: noAccess(err), cause: err}
	}
	return nil
}

// noAccess says in the system's words why a file or folder cannot be used. It is an ErrNoAccess,
// except where the disk is full.
func noAccess(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	switch {
	case errors.Is(err, os.ErrPermission):
		return ErrNoAccess
	case errors.Is(err, syscall.ENOSPC):
		return ErrDiskFull
	}
	return unusable{err}
}

// unusable is an ErrNoAccess with a reason of its own, such as "not a directory".
type unusable struct{ error }

func (u unusable) Is(target error) bool { return target == ErrNoAccess }
