package session

import (
	"context"

	"winnow/session/branch"
	"winnow/session/store"
)

// Messages are the messages of the active branch, as far as it is loaded.
func (s *Session) Messages() []store.Message { return allOf(s.Branch()) }

func allOf(b branch.Branch) []store.Message {
	all, err := b.All(context.Background())
	if err != nil {
		panic(err)
	}
	return all
}
