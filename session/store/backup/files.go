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

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Draft makes an empty file beside the history that only the user may read.
func Draft(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// Discard removes a database that nobody needs, with what SQLite may have left beside it.
func Discard(path string) {
	for _, end := range []string{"", "-journal", "-wal", "-shm"} {
		os.Remove(path + end)
	}
}

// SetAside copies the history at path, which is claimed, with its write-ahead log to a name with the time and the
// reason: damaged, before-restore. That name is returned. The claimed file is read as it is open: to open it again and
// close it would give up the claim.
func SetAside(claimed *os.File, path, reason string, now time.Time) (aside string, err error) {
	first := fmt.Sprintf("%s.%s-%s", path, reason, now.UTC().Format(stampLayout))
	aside = first
	for i := 2; there(aside) || there(aside+"-wal"); i++ {
		aside = fmt.Sprintf("%s-%d", first, i)
	}
	err = fill(aside, io.NewSectionReader(claimed, 0, 1<<62))
	if err == nil && sqlite.HasJournal(path) {
		err = copyFile(path+"-wal", aside+"-wal")
	}
	if err != nil {
		Discard(aside)
	}
	return aside, err
}

// Replace puts a whole draft in the place of the history at path, which is claimed and set aside. There is a history
// under the name of path at every moment, because another window may start.
func Replace(path, draft string) error {
	os.Remove(path + "-wal") // before the new file comes: it must never meet that one
	os.Remove(path + "-shm")
	err := os.Rename(draft, path)
	if errors.Is(err, syscall.EBUSY) { // it alone is mounted into a container, and its name cannot be changed
		err = copyFile(draft, path)
	}
	return errors.Join(err, syncFolder(path))
}

// copyFile writes a file with the content of another one.
func copyFile(from, to string) error {
	f, err := os.Open(from)
	if err != nil {
		return err
	}
	defer f.Close()
	return fill(to, f)
}

// fill writes a file that only the user may read, and makes sure that it is on the disk.
func fill(path string, from io.Reader) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Sync(), to.Close())
}

// syncFile makes sure that a file's bytes are on the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// syncFolder makes the names in a file's folder last through a power cut, where the system can.
func syncFolder(path string) error {
	f, err := os.Open(filepath.Dir(path))
	if err != nil {
		return nil // a folder that may be written and not read has no way to be synced
	}
	f.Sync() // not every file system can; the names are right either way
	return f.Close()
}
