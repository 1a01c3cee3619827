package ui

import (
	"context"

	"winnow/session/branch"
	"winnow/session/store"
)

// allOf are the messages of a branch.
func allOf(b branch.Branch) []store.Message {
	all, err := b.All(context.Background())
	if err != nil {
		panic(err)
	}
	return all
}
