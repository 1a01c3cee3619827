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
		next := Message{Session: session.ID, Parent: m.ID, Message: history.Message{
			Role: role, Content: "x",
			Status: history.Complete,
		}}
		if model != "" {
			next.Endpoint, next.Model = "test", model
		}
		var err error
		m, err = s.Append(ctx, next)
		must(t, "append", err)
		var list []history.Repair
		for i, kind := range kinds {
			list = append(list, history.Repair{
				Kind: kind, Cause: history.Cause{Text: "what"},
				Before: string(rune('a' + i)),
			})
		}
		plan.Entries = append(plan.Entries, history.Entry{ID: m.ID, Disposition: history.Kept, Repairs: list})
		_, err = s.AddRequest(ctx, Request{Session: session.ID, Plan: &plan})
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
