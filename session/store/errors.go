package store

import (
	"errors"
	"fmt"

	"winnow/session/store/sqlite"
)

// What can go wrong with the history file, in the user's words. Errors of this package match them
// with errors.Is; their text never holds SQLite's own.
var (
	ErrNotFound    = sqlite.ErrNotFound
	ErrReadOnly    = sqlite.ErrReadOnly
	ErrBusy        = sqlite.ErrBusy
	ErrDiskFull    = sqlite.ErrDiskFull
	ErrNoAccess    = sqlite.ErrNoAccess
	ErrNotHistory  = sqlite.ErrNotHistory
	ErrOtherBuild  = sqlite.ErrOtherBuild
	ErrDamaged     = sqlite.ErrDamaged
	ErrDisk        = sqlite.ErrDisk
	ErrMoved       = errors.New("the file was moved, deleted or replaced while winnow had it open; start winnow again")
	ErrNotStreamed = errors.New("this window does not stream that answer")
)

// missing is ErrNotFound for the whole history.
type missing struct{}

func (missing) Error() string   { return "there is no chat history yet" }
func (missing) Is(e error) bool { return e == ErrNotFound }

// AmbiguousError reports that a prefix fits several sessions.
type AmbiguousError struct {
	Prefix  string
	Matches []Session // the last used first, at most 10
	Count   int       // all that fit
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q matches %d sessions; use more of the id", e.Prefix, e.Count)
}

// refused reports that nothing is written, and where it is known, why.
func (s *Store) refused(doing string) error {
	kind := ErrReadOnly
	if s.frozen != "" {
		kind = fmt.Errorf("%w: %s", ErrReadOnly, s.frozen)
	}
	return &sqlite.Error{Doing: doing, Where: s.path, Kind: kind}
}

// explain turns an error of a transaction into one for the user.
func explain(doing, path string, err error) error {
	var ambiguous *AmbiguousError
	if errors.As(err, &ambiguous) {
		return err
	}
	return sqlite.Explain(doing, path, err)
}
