package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"winnow/history"
)

// A message of a session with branches is numbered on its own branch; how long the active one is, is said of its own
// messages alone.
func TestPlacesAreNumberedOnTheirBranch(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "one")
	add := func(parent int64, text string) int64 {
		return add(t, s, says(session.ID, parent, history.User, text)).ID
	}
	numbers := func(ids ...int64) string {
		places, err := s.Places(ctx, ids...)
		must(t, "places", err)
		out := ""
		for _, id := range ids {
			out += fmt.Sprintf("%d/%d ", places[id].Number, places[id].Of)
		}
		return out
	}
	two := add(first.ID, "two")
	three := add(two, "three")
	if got, want := numbers(first.ID, two, three), "1/3 2/3 3/3 "; got != want {
		t.Errorf("without branches: %s, want %s", got, want)
	}
	other := add(first.ID, "another two")
	if got, want := numbers(first.ID, two, three, other), "1/2 2/0 3/0 2/2 "; got != want {
		t.Errorf("with a second branch: %s, want %s", got, want)
	}
	for id, want := range map[int64][]int64{0: {first.ID}, first.ID: {two, other}, two: {three}, three: nil} {
		if got, err := s.Replies(ctx, session.ID, id); !slices.Equal(got, want) || err != nil {
			t.Errorf("message %d is followed by %d, %v, want %d", id, got, err, want)
		}
	}
	if places, err := s.Places(ctx, 12_345); err != nil || len(places) > 0 {
		t.Errorf("a message that is not there: %v, %v", places, err)
	}
}
