package session

import (
	"context"

	"winnow/session/store"
)

// Messages returns the messages on the loaded part of the active branch.
func (s *Session) Messages() []store.Message {
	all, err := s.Branch().All(context.Background())
	if err != nil {
		panic(err)
	}
	return all
}
