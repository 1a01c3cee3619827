package store

import (
	"context"
	"testing"
	"time"

	"winnow/history"
)

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
