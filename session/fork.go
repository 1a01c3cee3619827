package session

import (
	"context"
	"errors"
	"slices"

	"winnow/session/store"
)

// Fork copies the branch that ends at a message, on whatever branch that is, into a conversation of its
// own, and returns its row; 0 is the end of the active branch. This conversation stays as it is, and
// a turn that is running goes on. Where nothing was said yet the error is ErrNothingToAnswer.
func (s *Session) Fork(ctx context.Context, message int64) (store.Session, error) {
	row := s.Info()
	if message == 0 {
		message = row.Leaf
	}
	if row.ID == "" || message == 0 {
		return store.Session{}, ErrNothingToAnswer
	}
	return s.deps.Store.Fork(ctx, row.ID, message)
}

// Kin are the conversations that this one was forked from, and that were forked from it.
type Kin struct {
	Parent store.Session   // without an ID where this one is no fork, or its parent is gone
	Fork   bool            // this one is a fork
	Copied int             // how many of its first messages are copies of its parent's
	Forks  []store.Session // the oldest first, without those in the trash
}

// Kin reads the conversation's kin.
func (s *Session) Kin(ctx context.Context) (Kin, error) {
	row := s.Info()
	if row.ID == "" {
		return Kin{}, nil
	}
	origin, err := s.deps.Store.Origin(ctx, row.ID)
	forks, more := s.deps.Store.Forks(ctx, row.ID)
	if err := errors.Join(err, more); err != nil {
		return Kin{}, err
	}
	forks = slices.DeleteFunc(forks, func(f store.Session) bool { return !f.Deleted.IsZero() })
	return Kin{Parent: origin.Parent, Fork: row.Parent != "", Copied: origin.Copied, Forks: forks}, nil
}
