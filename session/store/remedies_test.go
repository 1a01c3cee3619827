package store

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"winnow/history"
)

func wantRemedies(t *testing.T, s *Store, session string, want map[int64]history.Remedy) {
	t.Helper()
	if got, err := s.Remedies(context.Background(), session); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Remedies = %v, %v; want %v", got, err, want)
	}
}

func TestRemediesAreKeptByMessage(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, one := begin(t, s, "", "one")
	two := add(t, s, says(session.ID, one.ID, history.Assistant, "two"))
	other, elsewhere := begin(t, s, "", "elsewhere")
	wantRemedies(t, s, session.ID, map[int64]history.Remedy{})
	must(t, "set", s.SetRemedies(ctx, history.SendAsText, one.ID, two.ID, elsewhere.ID))
	wantRemedies(t, s, session.ID, map[int64]history.Remedy{one.ID: history.SendAsText, two.ID: history.SendAsText})
	wantRemedies(t, s, other.ID, map[int64]history.Remedy{elsewhere.ID: history.SendAsText})
	must(t, "set another", s.SetRemedies(ctx, history.LeaveOut, two.ID))
	must(t, "take away", s.SetRemedies(ctx, history.SendRepaired, one.ID, one.ID))
	wantRemedies(t, s, session.ID, map[int64]history.Remedy{two.ID: history.LeaveOut})
	must(t, "set none", s.SetRemedies(ctx, history.LeaveOut))

	for name, err := range map[string]error{
		"of a message that is not there": s.SetRemedies(ctx, history.SendRepaired, one.ID, 99),
		"that is none":                   s.SetRemedies(ctx, "leave", one.ID),
	} {
		if err == nil {
			t.Errorf("a remedy %s was kept", name)
		}
	}
	if err := s.SetRemedies(ctx, history.LeaveOut, one.ID, 99); !errors.Is(err, ErrNotFound) {
		t.Errorf("a remedy of a message that is not there = %v, want ErrNotFound", err)
	}
	wantRemedies(t, s, session.ID, map[int64]history.Remedy{two.ID: history.LeaveOut})
	if got := read(t, s, two.ID); got.Content != "two" || got.Damaged {
		t.Errorf("the message is %+v", got)
	}
}

// A recorded repair is undone for as long as another remedy holds.
func TestAnotherRemedyUndoesARepair(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
	ctx := context.Background()
	session, m := begin(t, s, "", "hello")
	r := history.Repair{Kind: "C14", Cause: history.Cause{Text: "bytes were replaced"}, Before: "\xff", After: "?"}
	add := func() { must(t, "add", s.AddRepairs(ctx, 2, map[int64][]history.Repair{m.ID: {r}})) }
	undone := func(when string, want bool) {
		t.Helper()
		got := repairsOf(t, s, session.ID)
		if len(got) != 1 || got[0].Undone != want || got[0].First != noon().t.UnixMilli() {
			t.Errorf("%s: the repairs are %+v; want one, undone %t", when, got, want)
		}
	}
	add()
	undone("repaired", false)
	c.add(time.Hour)
	must(t, "leave out", s.SetRemedies(ctx, history.LeaveOut, m.ID))
	undone("left out", true)
	r.Remedy, r.After = history.LeaveOut, ""
	add()
	undone("left out of a request", true)
	must(t, "repair", s.SetRemedies(ctx, history.SendRepaired, m.ID))
	undone("mended again", false)
}
