package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// What can go wrong with the history file, in the user's words. Errors of this package match them
// with errors.Is; their text never holds SQLite's own.
var (
	ErrNotFound   = errors.New("not found")
	ErrReadOnly   = errors.New("the chat history is open read-only")
	ErrBusy       = errors.New("the chat history is in use by another program")
	ErrDiskFull   = errors.New("the disk is full")
	ErrNoAccess   = errors.New("permission denied")
	ErrNotHistory = errors.New("this is not a winnow chat history")
	ErrDamaged    = errors.New("the chat history is damaged")
	ErrDisk       = errors.New("the disk failed")
	ErrNoLocks    = errors.New("files on this disk cannot be locked or shared, as on some network disks; " +
		"move the chat history to a local disk with --db or [storage] path")
)

// Error is an error with a sentence for the user. What SQLite said is kept for errors.As and
// left out of the text.
type Error struct {
	Doing string // what was being tried, as a verb: save the answer
	Where string // the file or folder, "" where the sentence needs none
	Kind  error  // one of this package's errors
	Cause error  // what was reported, may be nil
}

func (e *Error) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("cannot %s: %s", e.Doing, e.Kind)
	}
	return fmt.Sprintf("cannot %s: %s (%s)", e.Doing, e.Kind, e.Where)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// FileError is an error of the file system about a file or folder, in the system's words.
func FileError(doing, where string, err error) error {
	return &Error{Doing: doing, Where: where, Kind: noAccess(err), Cause: err}
}

// Explain turns an error of a transaction into one for the user. Errors that are already this
// package's, and a cancelled context, keep their kind.
func Explain(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	var explained *Error
	if errors.Is(err, ErrForeign) {
		return &Error{Doing: "open the chat history", Where: path, Kind: ErrNotHistory, Cause: err}
	}
	if errors.As(err, &explained) {
		return err
	}
	if kind := kindOf(err); kind != nil {
		return &Error{Doing: doing, Where: path, Kind: kind, Cause: err}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// kindOf names the kind of an error of SQLite or of the file system, nil for any other.
func kindOf(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if errors.Is(err, ErrForeign) {
		return ErrNotHistory
	}
	if errors.Is(err, ErrOtherBuild) {
		return ErrOtherBuild
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
		// Where a byte of the header is damaged SQLite has no code of its own for it.
		if strings.HasPrefix(e.Error(), "malformed database schema") || e.Error() == "unsupported file format" {
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

// noEntry is the reason why a file could not be opened, in the system's words where it gave any.
func noEntry(reason syscall.Errno) error {
	if reason == 0 {
		return unusable{errors.New("the file cannot be opened")}
	}
	return noAccess(reason)
}

// IsBusy reports whether an error reports that trying again may help.
func IsBusy(err error) bool { return errors.Is(kindOf(err), ErrBusy) }

// IsDamage reports whether an error reports that the file is damaged.
func IsDamage(err error) bool { return is(err, ErrDamaged) }

// IsForeign reports whether an error reports that the file is no history of winnow.
func IsForeign(err error) bool { return is(err, ErrNotHistory) }

func is(err, kind error) bool { return errors.Is(err, kind) || errors.Is(kindOf(err), kind) }

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
