package backup

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"winnow/session/store/sqlite"
)

// The files that SQLite keeps beside a database belong to it under whatever name it has.
var besides = []string{"-wal", "-shm"}

// setAsideName is a name beside path that no file has, with the time and what the file is: damaged,
// before-restore.
func setAsideName(path, what string, now time.Time) string {
	name := fmt.Sprintf("%s.%s-%s", path, what, now.UTC().Format(stampLayout))
	for i := 2; ; i++ {
		if !slices.ContainsFunc(append([]string{""}, besides...), func(b string) bool { return there(name + b) }) {
			return name
		}
		name = fmt.Sprintf("%s.%s-%s-%d", path, what, now.UTC().Format(stampLayout), i)
	}
}

// stampLayout is how a time is written in a file's name, in UTC.
const stampLayout = "20060102-150405"

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// nextFile is where a file waits, whole and on the disk, that is about to take the place of the
// history. A program that dies between the two renames leaves it there, and the next start goes on.
func nextFile(path string) string { return path + ".next" }

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

// Replace puts a whole draft in the place of the history at path. The history is set aside with its journal,
// under a name with the time and the reason: damaged, before-restore. The name is returned. The caller has
// claimed the history, or knows that nobody has it open.
func Replace(path, draft, reason string, now time.Time) (aside string, err error) {
	if err := errors.Join(syncFile(draft), os.Rename(draft, nextFile(path))); err != nil {
		return "", err
	}
	aside = setAsideName(path, reason, now)
	return aside, replace(path, aside)
}

// replace puts the file that waits in the place of the history.
func replace(path, aside string) error {
	// Another window that starts between the renames must not take it for a replacement that was cut off.
	next, err := Claim(nextFile(path))
	if err != nil {
		return err
	}
	defer next.Close()
	if err := os.Rename(path, aside); err != nil {
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
		return replaceContent(path, aside)
	}
	// The journal goes before the new file comes: it must never meet that one.
	if err := moveBesides(path, aside); err != nil {
		return err
	}
	if err := os.Rename(nextFile(path), path); err != nil {
		return err
	}
	return syncFolder(path)
}

func moveBesides(path, aside string) error {
	for _, b := range besides {
		if err := os.Rename(path+b, aside+b); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// replaceContent serves a file whose name cannot be changed, as where it alone is mounted into a
// container. It is copied aside, and then its bytes are replaced.
func replaceContent(path, aside string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := copyFile(from, aside); err != nil {
		return err
	}
	if err := moveBesides(path, aside); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	whole, err := os.Open(nextFile(path))
	if err != nil {
		return errors.Join(err, to.Close())
	}
	_, err = io.Copy(to, whole)
	return errors.Join(err, to.Sync(), to.Close(), whole.Close(), os.Remove(nextFile(path)))
}

// Resume ends a replacement that a program did not live to end: the history is gone from its
// place and the whole file waits.
func Resume(path string) error {
	if err := resume(path); err != nil {
		return sqlite.FileError("open the chat history", nextFile(path), err)
	}
	return nil
}

func resume(path string) error {
	next, err := Claim(nextFile(path))
	for range 1000 {
		if !errors.Is(err, sqlite.ErrBusy) {
			break
		}
		time.Sleep(5 * time.Millisecond) // another window is about to end it
		next, err = Claim(nextFile(path))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer next.Close()
	// Another window may have been faster, and then the name is free.
	if there(path) || !there(nextFile(path)) {
		return nil
	}
	if there(path + "-wal") {
		if err := moveBesides(path, setAsideName(path, "damaged", time.Now())); err != nil {
			return err
		}
	}
	if err := os.Rename(nextFile(path), path); err != nil {
		return err
	}
	return syncFolder(path)
}

// copyFile copies an open file from its beginning to a new one that only the user may read.
func copyFile(from *os.File, path string) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, io.NewSectionReader(from, 0, 1<<62))
	return errors.Join(err, to.Sync(), to.Close())
}

// CopyWithJournal copies a claimed database at path with its write-ahead log into an empty file. The claimed file is read
// as it is open: to open it again and close it would give up the claim.
func CopyWithJournal(claimed *os.File, path, to string) error {
	if err := fill(to, io.NewSectionReader(claimed, 0, 1<<62)); err != nil {
		return err
	}
	wal, err := os.Open(path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer wal.Close()
	return fill(to+"-wal", wal)
}

// fill writes a file that only the user may read.
func fill(path string, from io.Reader) error {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
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
