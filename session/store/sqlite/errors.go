package sqlite

import (
	"errors"
	"fmt"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

// Kinds of errors, for errors.Is. Their texts are sentences for the user and never contain SQLite's own.
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

// Error is an error with a sentence for the user. Its text does not contain Cause, which is for errors.Is and
// errors.As.
type Error struct {
	Doing string // what was being done, such as "save the answer"
	Where string // the file or folder, "" to leave it out
	Kind  error  // the reason as a sentence: an error of this package, or one that wraps it
	Cause error  // the underlying error, may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("cannot %s: %s", e.Doing, e.Kind)
	if e.Where != "" {
		text += " (" + e.Where + ")"
	}
	return text
}

// Unwrap returns Kind and Cause.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Cause} }

// Explain turns an error of a transaction into an *Error with the kind of failure. It returns an *Error unchanged, and
// wraps an error of unknown kind, such as a cancelled context.
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

// kinds maps SQLite's result codes to kinds of errors.
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

// kindOf returns the kind of an error of SQLite or of the file system, nil if it has none. An error that wraps a kind
// is returned itself, because it says more. System errors without a kind of their own, such as "not a directory", are
// returned as they are.
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
		return ErrDamaged // a damaged header, for which SQLite has no code of its own
	case errno != 0 && e.Code != sqlite3.ErrIoErr:
		return errno
	}
	return kinds[e.Code]
}

// IsBusy reports whether trying again may help.
func IsBusy(err error) bool { return errors.Is(kindOf(err), ErrBusy) }

// IsDamaged reports whether an error means that the file is damaged.
func IsDamaged(err error) bool { return errors.Is(kindOf(err), ErrDamaged) }

// NeedsRollBack reports whether a read-only connection found an unfinished transaction, which a connection in
// ModeRollBack can undo.
func NeedsRollBack(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrReadonlyRollback
}

// IsNotHistory reports whether an error means that the file is not a chat history of winnow.
func IsNotHistory(err error) bool { return errors.Is(kindOf(err), ErrNotHistory) }
