package session

import (
	"context"

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
