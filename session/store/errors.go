package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"winnow/session/store/sqlite"

	"github.com/mattn/go-sqlite3"
)

// What can go wrong with the history file, in the user's words. Errors of this package match them
// with errors.Is; their text never holds SQLite's own.
var (
	ErrNotFound    = errors.New("not found")
	ErrReadOnly    = errors.New("the chat history is open for reading only")
	ErrBusy        = errors.New("another program keeps the chat history busy")
	ErrDiskFull    = errors.New("the disk is full")
	ErrNoAccess    = errors.New("permission denied")
	ErrNotHistory  = errors.New("this is not a winnow chat history")
	ErrDamaged     = errors.New("the chat history is damaged")
	ErrDisk        = errors.New("the disk failed")
	ErrNoLocks     = errors.New("files on this disk cannot be locked or shared, as on some network disks; put the history on a disk of this machine, with --db or [storage] path")
	ErrMoved       = errors.New("the file was moved, deleted or replaced while winnow had it open; start winnow again")
	ErrNotStreamed = errors.New("this window does not stream that answer")
)

// missing is ErrNotFound for the whole history.
type missing struct{}

func (missing) Error() string   { return "there is no chat history yet" }
func (missing) Is(e error) bool { return e == ErrNotFound }

// AmbiguousError says that a prefix fits several sessions.
type AmbiguousError struct {
	Prefix  string
	Matches []Session // the last used first, at most 10
	Count   int       // all that fit
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q fits %d sessions; type more of the id", e.Prefix, e.Count)
}

// trouble is an error with a sentence for the user. What SQLite said is kept for errors.As and
// left out of the text.
type trouble struct {
	doing string // what was being tried, as a verb: save the answer
	where string // the file or folder, "" where the sentence needs none
	kind  error  // one of this package's errors
	cause error  // what was reported, may be nil
}

func (t *trouble) Error() string {
	if t.where == "" {
		return fmt.Sprintf("cannot %s: %s", t.doing, t.kind)
	}
	return fmt.Sprintf("cannot %s: %s (%s)", t.doing, t.kind, t.where)
}

func (t *trouble) Unwrap() []error {
	if t.cause == nil {
		return []error{t.kind}
	}
	return []error{t.kind, t.cause}
}

// refused says that nothing is written, and where it is known, why.
func (s *Store) refused(doing string) error {
	kind := ErrReadOnly
	if s.frozen != "" {
		kind = fmt.Errorf("%w: %s", ErrReadOnly, s.frozen)
	}
	return &trouble{doing: doing, where: s.path, kind: kind}
}

// explain turns an error of a transaction into one for the user. Errors that are already this
// package's, and a cancelled context, keep their kind.
func explain(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	var mine *trouble
	var ambiguous *AmbiguousError
	if errors.Is(err, sqlite.ErrForeign) {
		return &trouble{doing: "open the chat history", where: path, kind: ErrNotHistory, cause: err}
	}
	if errors.As(err, &mine) || errors.As(err, &ambiguous) {
		return err
	}
	if kind := kindOf(err); kind != nil {
		return &trouble{doing: doing, where: path, kind: kind, cause: err}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// kindOf names the kind of an error of SQLite or of the file system, nil for any other.
func kindOf(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if errors.Is(err, sqlite.ErrForeign) {
		return ErrNotHistory
	}
	if errors.Is(err, os.ErrPermission) {
		return ErrNoAccess
	}
	if errors.Is(err, ErrBusy) {
		return ErrBusy
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return ErrBusy
	case sqlite3.ErrFull:
		return ErrDiskFull
	case sqlite3.ErrReadonly:
		return ErrReadOnly
	case sqlite3.ErrPerm, sqlite3.ErrAuth:
		return ErrNoAccess
	case sqlite3.ErrCantOpen:
		return noEntry(e.SystemErrno)
	case sqlite3.ErrNotADB:
		return ErrNotHistory
	case sqlite3.ErrCorrupt, sqlite3.ErrFormat:
		return ErrDamaged
	case sqlite3.ErrIoErr:
		if e.SystemErrno == syscall.ENOSPC {
			return ErrDiskFull
		}
		if slices.Contains(noLocks, e.ExtendedCode) {
			return ErrNoLocks
		}
		return ErrDisk
	case sqlite3.ErrError:
		if strings.HasPrefix(e.Error(), "malformed database schema") {
			return ErrDamaged
		}
	}
	return nil
}

// noLocks are what SQLite reports where a disk has no locks or no memory that programs share.
var noLocks = []sqlite3.ErrNoExtended{
	sqlite3.ErrIoErrLock, sqlite3.ErrIoErrRDlock, sqlite3.ErrIoErrUnlock, sqlite3.ErrIoErrCheckReservedLock,
	sqlite3.ErrIoErrSHMOpen, sqlite3.ErrIoErrSHMSize, sqlite3.ErrIoErrSHMLock, sqlite3.ErrIoErrSHMMap,
}

// noEntry says why a file could not be opened, in the system's words where it gave any.
func noEntry(why syscall.Errno) error {
	if why == 0 {
		return unusable{errors.New("the file cannot be opened")}
	}
	return noAccess(why)
}

// busy reports whether an error says that trying again may help.
func busy(err error) bool { return errors.Is(kindOf(err), ErrBusy) }
