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

// RemoveDatabase removes a database that nobody needs, with what SQLite may have left beside it.
func RemoveDatabase(path string) error {
	for _, end := range []string{"-journal", "-wal", "-shm"} {
		os.Remove(path + end) // mostly there is none
	}
	return os.Remove(path)
}

// replaceFile has a file written under another name, and gives it its own when it is whole and on the disk. Only the user may
// read it. A power cut can undo that until the next commit to the file: SQLite syncs the folder then.
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
	os.Remove(file + "-wal") // before the new file comes: it must never meet that one
	os.Remove(file + "-shm")
	err = os.Rename(draft, file)
	if errors.Is(err, syscall.EBUSY) { // it alone is mounted into a container, and its name cannot be changed
		err = copyFile(draft, file)
	}
	return err
}

// ReplaceDatabase sets the history at path aside, with its write-ahead log, under a name with the reason and the time, which is
// returned, "" where there was none; and puts what write writes in its place. There is a history under the name of path
// at every moment, because another window may start. While one has it open nothing is changed, and the error is
// sqlite.ErrBusy.
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

// setAside copies a file that is claimed, with its write-ahead log. It is read as it is open: to open it again and
// close it would give up the claim.
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

// copyFile writes a file with the content of another one.
func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return writeSynced(to, f)
}

// writeSynced writes a file that only the user may read, and makes sure that it is on the disk.
func writeSynced(path string, from io.Reader) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), to.Close())
}
