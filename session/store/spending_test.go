package store

import (
	"context"
	"reflect"
	"testing"
	"time"
)

func TestSpendingSumsUpASession(t *testing.T) {
	c := noon()
	s := openAt(t, newPath(t), Options{Now: c.now})
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
	ever := []Period{{To: c.t.Add(time.Hour)}}
	type spending struct {
		from     string
		requests int
		cost     int64
	}
	var got []spending
	all, err := s.Usage(ctx, UsageFilter{Periods: ever, Session: session.ID})
	for _, u := range all {
		got = append(got, spending{u.From, u.Requests, u.Cost})
	}
	want := []spending{{"", 1, 0}, {"estimate", 1, 7}, {"server", 3, 4_120_000}, {"unknown", 1, 0}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if got, err := s.Usage(ctx, UsageFilter{Periods: ever, Session: empty.ID}); err != nil || len(got) != 0 {
		t.Errorf("without a request: got %+v, %v", got, err)
	}
}
