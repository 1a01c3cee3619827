package backup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// stampLayout is how a time is written in a file's name, in UTC.
const stampLayout = "20060102-150405"

// setAsideName is a name beside path that no file has, with the time and what the file is: damaged,
// before-restore.
func setAsideName(path, what string, now time.Time) string {
	first := fmt.Sprintf("%s.%s-%s", path, what, now.UTC().Format(stampLayout))
	name := first
	for i := 2; there(name) || there(name+"-wal"); i++ {
		name = fmt.Sprintf("%s-%d", first, i)
	}
	return name
}

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
	os.Remove(path)
	os.Remove(path + "-journal")
	discardLog(path)
}

// discardLog removes the write-ahead log of a database and its index.
func discardLog(path string) {
	os.Remove(path + "-wal")
	os.Remove(path + "-shm")
}

// Replace puts a whole draft in the place of the history at path, which is claimed. The history is set aside with its
// write-ahead log, under a name with the time and the reason: damaged, before-restore. The name is returned. There is a
// history under the name of path at every moment, because another window may start.
func Replace(claimed *os.File, path, draft, reason string, now time.Time) (aside string, err error) {
	if err := syncFile(draft); err != nil {
		return "", err
	}
	aside = setAsideName(path, reason, now)
	if err := keepAs(claimed, path, aside); err != nil {
		Discard(aside)
		return "", err
	}
	discardLog(path) // before the new file comes: it must never meet that one
	err = os.Rename(draft, path)
	if errors.Is(err, syscall.EBUSY) { // it alone is mounted into a container, and its name cannot be changed
		err = copyFile(draft, path)
	}
	return aside, errors.Join(err, syncFolder(path))
}

// keepAs gives a claimed file and its write-ahead log a second name, or copies them where a file can have only one.
func keepAs(claimed *os.File, path, aside string) error {
	if os.Link(path, aside) != nil {
		return CopyWithJournal(claimed, path, aside)
	}
	err := os.Link(path+"-wal", aside+"-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// CopyWithJournal copies a claimed database at path with its write-ahead log. The claimed file is read as it is open:
// to open it again and close it would give up the claim.
func CopyWithJournal(claimed *os.File, path, to string) error {
	if err := fill(to, io.NewSectionReader(claimed, 0, 1<<62)); err != nil {
		return err
	}
	err := copyFile(path+"-wal", to+"-wal")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
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
