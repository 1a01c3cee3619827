package store

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"winnow/history"
)

// verdictOf is the record of a request that decides one thing about each of some messages.
func verdictOf(t testing.TB, s *Store, r Request, d history.Disposition, messages ...int64) {
	t.Helper()
	r.Plan = &history.Plan{}
	for _, id := range messages {
		r.Plan.Entries = append(r.Plan.Entries, history.Entry{ID: id, Disposition: d, Whole: d == history.Kept})
	}
	r.Turn, r.Endpoint, r.Model = 1, "e", "m"
	_, err := s.AddRequest(context.Background(), r)
	must(t, "add a request", err)
}

// A message of a session with branches is numbered on its own branch; how long the active one is, is said of its own
// messages alone.
func TestPlacesAreNumberedOnTheirBranch(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, first := begin(t, s, "", "one")
	add := func(parent int64, text string) int64 {
		m, err := s.Append(ctx, Message{
			Session: session.ID, Parent: parent,
			Message: history.Message{Role: history.User, Content: text, Status: history.Complete},
		})
		must(t, "append", err)
		return m.ID
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

// The verdict is that of the newest request for an answer that did not fail.
func TestPlacesHaveTheLastVerdict(t *testing.T) {
	s := newStore(t)
	session, first := begin(t, s, "", "one")
	_, other := begin(t, s, "", "alone")
	of := func(id int64) history.Disposition {
		places, err := s.Places(context.Background(), id, other.ID)
		must(t, "places", err)
		if places[other.ID].Last != nil {
			t.Errorf("a message that was never sent has the verdict %v", places[other.ID].Last)
		}
		if places[id].Last == nil {
			return ""
		}
		return places[id].Last.Disposition
	}
	r := Request{Session: session.ID}
	for _, c := range []struct {
		name string
		end  RequestEnd
		why  Purpose
		made history.Disposition
		want history.Disposition
	}{
		{"a failed request", EndFailed, ForAnswer, history.Kept, ""},
		{"the first answer", EndDone, ForAnswer, history.Kept, history.Kept},
		{"the same again", EndDone, ForAnswer, history.Kept, history.Kept},
		{"another verdict", EndCut, ForAnswer, history.Dropped, history.Dropped},
		{"a summary", EndDone, ForSummary, history.Kept, history.Dropped},
		{"a failed request later", EndFailed, ForAnswer, history.Cut, history.Dropped},
	} {
		r.End, r.Purpose = c.end, c.why
		verdictOf(t, s, r, c.made, first.ID)
		if got := of(first.ID); got != c.want {
			t.Errorf("after %s the verdict is %q, want %q", c.name, got, c.want)
		}
	}
}
