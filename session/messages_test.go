package session

import (
	"context"

	"winnow/session/store"
)

// Messages are the messages of the active branch, as far as it is loaded.
func (s *Session) Messages() []store.Message {
	all, err := s.Branch().All(context.Background())
	if err != nil {
		panic(err)
	}
	return all
}
