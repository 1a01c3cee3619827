package store

import (
	"context"
	"reflect"
	"testing"

	"winnow/history"
)

func TestRepairsAreCountedByModelAndKind(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx := context.Background()
	session, m := begin(t, s, "", "hello")
	var plan history.Plan
	add := func(role history.Role, model string, kinds ...string) {
		t.Helper()
		next := says(session.ID, m.ID, role, "x")
		if model != "" {
			next.Endpoint, next.Model = "test", model
		}
		m = add(t, s, next)
		e := history.Entry{ID: m.ID, Disposition: history.Kept}
		for i, kind := range kinds {
			e.Repairs = append(e.Repairs, history.Repair{Kind: kind, Before: string(rune('a' + i))})
		}
		plan.Entries = append(plan.Entries, e)
		_, err := s.AddRequest(ctx, Request{Session: session.ID, Plan: &plan})
		must(t, "record", err)
	}
	add(history.Assistant, "small", "C1", "C1", "C5")
	add(history.Tool, "", "C9")
	add(history.Tool, "", "C9", "C13")
	add(history.User, "", "C14")
	add(history.Assistant, "large", "C11")
	add(history.Assistant, "small", "C1")
	got, err := s.RepairCounts(ctx)
	must(t, "count", err)
	want := []RepairCount{
		{"", "", "C14", 1},
		{"test", "large", "C11", 1},
		{"test", "small", "C1", 3},
		{"test", "small", "C5", 1},
		{"test", "small", "C9", 2},
		{"test", "small", "C13", 1},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
