package session

import (
	"context"
	"errors"
	"slices"
)

// ErrOneVersion says that nothing else was said in the place of a message.
var ErrOneVersion = errors.New("nothing else was said in its place")

// Version is a message among those that were said in the same place of the conversation.
type Version struct {
	Message int64
	Nth, Of int // it is the Nth of Of, from 1, the oldest first
}

// SwitchVersion goes so many versions on from a message, back where by is negative, and makes the branch
// through that one the active one, as Switch does. Behind the last version comes the first again. For a
// message without another version the error is ErrOneVersion.
func (s *Session) SwitchVersion(ctx context.Context, message int64, by int) (Version, error) {
	siblings, err := s.deps.Store.Siblings(ctx, message)
	if err != nil {
		return Version{}, err
	}
	n := len(siblings)
	if n == 1 {
		return Version{message, 1, 1}, ErrOneVersion
	}
	at := ((slices.Index(siblings, message)+by)%n + n) % n
	return Version{siblings[at], at + 1, n}, s.Switch(ctx, siblings[at])
}
