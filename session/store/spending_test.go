package store

import (
	"context"
	"errors"
	"reflect"
	"testing"
)

func TestSpendingSumsUpASession(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	session, _ := begin(t, s, "", "hello")
	other, _ := begin(t, s, "", "elsewhere")
	empty, _ := begin(t, s, "", "nothing was asked yet")
	for _, r := range []Request{
		{Session: session.ID, Cost: 4_000_000, CostFrom: "server"},
		{Session: session.ID, Cost: 120_000, CostFrom: "server"},
		{Session: session.ID, CostFrom: "server"},
		{Session: session.ID, Cost: 7, CostFrom: "estimate"},
		{Session: session.ID, CostFrom: "unknown"},
		{Session: session.ID},
		{Session: other.ID, Cost: 1, CostFrom: "server"},
	} {
		_, err := s.AddRequest(ctx, r)
		must(t, "add", err)
	}
	got, err := s.Spending(ctx, session.ID)
	want := []Spending{{"", 1, 0}, {"estimate", 1, 7}, {"server", 3, 4_120_000}, {"unknown", 1, 0}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if got, err := s.Spending(ctx, empty.ID); err != nil || len(got) != 0 {
		t.Errorf("without a request: got %+v, %v", got, err)
	}
	if _, err := s.Spending(ctx, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Errorf("of no session: got %v, want ErrNotFound", err)
	}
}
