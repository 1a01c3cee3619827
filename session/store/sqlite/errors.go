package sqlite

import (
	"errors"
	"fmt"
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
	ErrOtherBuild = errors.New("another build of winnow made it; export it there with winnow sessions export")
	ErrDamaged    = errors.New("the chat history is damaged")
	ErrDisk       = errors.New("the disk failed, or is a network disk that cannot lock or share files; " +
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
	text := fmt.Sprintf("cannot %s: %s", e.Doing, e.Kind)
	if e.Where != "" {
		text += " (" + e.Where + ")"
	}
	return text
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Cause} }

// Explain turns an error of a transaction into one for the user. Errors that are already this
// package's, and a cancelled context, keep their kind.
func Explain(doing, path string, err error) error {
	var explained *Error
	if err == nil || errors.As(err, &explained) {
		return err
	}
	kind := kindOf(err)
	if kind == nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return &Error{Doing: doing, Where: path, Kind: kind, Cause: err}
}

// kinds are the kinds of SQLite's errors.
var kinds = map[sqlite3.ErrNo]error{
	sqlite3.ErrBusy:     ErrBusy,
	sqlite3.ErrLocked:   ErrBusy,
	sqlite3.ErrProtocol: ErrBusy,
	sqlite3.ErrFull:     ErrDiskFull,
	sqlite3.ErrReadonly: ErrReadOnly,
	sqlite3.ErrPerm:     ErrNoAccess,
	sqlite3.ErrAuth:     ErrNoAccess,
	sqlite3.ErrNotADB:   ErrNotHistory,
	sqlite3.ErrCorrupt:  ErrDamaged,
	sqlite3.ErrFormat:   ErrDamaged,
	sqlite3.ErrIoErr:    ErrDisk,
	sqlite3.ErrCantOpen: errors.New("the file cannot be opened"),
}

// kindOf names the kind of an error of SQLite or of the file system, nil for any other. One that wraps a kind is one
// itself, with more to say. A reason of the system that has no name here is a kind too, such as "not a directory".
func kindOf(err error) error {
	for _, kind := range []error{ErrNotHistory, ErrOtherBuild, ErrBusy, ErrDamaged} {
		if errors.Is(err, kind) {
			return err
		}
	}
	var e sqlite3.Error
	var errno syscall.Errno
	if errors.As(err, &e) {
		errno = e.SystemErrno
	} else if !errors.As(err, &errno) {
		return nil
	}
	switch {
	case errno == syscall.EACCES, errno == syscall.EPERM:
		return ErrNoAccess
	case errno == syscall.ENOSPC:
		return ErrDiskFull
	case strings.HasPrefix(e.Error(), "malformed database schema"), e.Error() == "unsupported file format":
		return ErrDamaged // a byte of the header is damaged: SQLite has no code of its own for it
	case errno != 0 && e.Code != sqlite3.ErrIoErr:
		return errno
	}
	return kinds[e.Code]
}

// IsBusy reports whether an error reports that trying again may help.
func IsBusy(err error) bool { return errors.Is(kindOf(err), ErrBusy) }

// IsDamaged reports whether an error reports that the file is damaged.
func IsDamaged(err error) bool { return errors.Is(kindOf(err), ErrDamaged) }

// NeedsRollBack reports whether an error is that of a connection that only reads and met a change that was left half
// done. One that may write undoes it.
func NeedsRollBack(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrReadonlyRollback
}

// IsNotHistory reports whether an error reports that the file is no history of winnow.
func IsNotHistory(err error) bool { return errors.Is(kindOf(err), ErrNotHistory) }
