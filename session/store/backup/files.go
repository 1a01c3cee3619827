package backup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"winnow/session/store/sqlite"
)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// RemoveDatabase removes a database file and the journals that SQLite may have left beside it.
func RemoveDatabase(path string) error {
	for _, end := range []string{"-journal", "-wal", "-shm"} {
		os.Remove(path + end) // usually there is none
	}
	return os.Remove(path)
}

// replaceFile calls write to write a new file under a temporary name, and then renames it to file. Only the user may
// read it. A power cut can undo the rename until the next commit to the file, when SQLite syncs the folder.
func replaceFile(file string, write func(draft string) error) error {
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".new-")
	if err != nil {
		return err
	}
	draft := f.Name()
	defer RemoveDatabase(draft)
	if err := errors.Join(f.Close(), write(draft)); err != nil {
		return err
	}
	os.Remove(file + "-wal") // before the rename, because the new file must never meet an old log
	os.Remove(file + "-shm")
	err = os.Rename(draft, file)
	if errors.Is(err, syscall.EBUSY) { // the file is a mount point of a container and cannot be renamed
		err = copyFile(draft, file)
	}
	return err
}

// ReplaceDatabase sets the history at path aside, together with its write-ahead log, and replaces it by the file that
// write writes to draft. It returns the new path of the old file, which contains reason and the time, or "" if there
// was no old file. A history exists at path at every moment, because another window may start. If another program has
// it open, nothing changes and the error is sqlite.ErrBusy.
func ReplaceDatabase(
	path, reason string, now time.Time, write func(aside, draft string) error,
) (aside string, err error) {
	if exists(path) {
		claimed, err := lockExclusively(path)
		if err != nil {
			return "", err
		}
		defer claimed.Close()
		if aside, err = setAside(claimed, path, reason, now); err != nil {
			return "", err
		}
	}
	err = replaceFile(path, func(draft string) error { return write(aside, draft) })
	if err != nil && aside != "" {
		RemoveDatabase(aside)
		aside = ""
	}
	return aside, err
}

// setAside copies a locked file and its write-ahead log to a new name. It reads through the locked file handle: opening
// the file again and closing it would release the lock.
func setAside(claimed *os.File, path, reason string, now time.Time) (aside string, err error) {
	first := fmt.Sprintf("%s.%s-%s", path, reason, now.UTC().Format(stampLayout))
	aside = first
	for i := 2; exists(aside) || exists(aside+"-wal"); i++ {
		aside = fmt.Sprintf("%s-%d", first, i)
	}
	err = writeSynced(aside, claimed)
	if err == nil && sqlite.HasWAL(path) {
		err = copyFile(path+"-wal", aside+"-wal")
	}
	if err != nil {
		RemoveDatabase(aside)
	}
	return aside, err
}

// copyFile copies the content of a file to another and syncs it.
func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeSynced(to, f)
}

// writeSynced writes a file that only the user may read, and syncs it to disk.
func writeSynced(path string, from io.Reader) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), to.Close())
}
