package store

import (
	"context"
	"reflect"
	"testing"
	"time"
)

func TestUsageSumsUpPeriods(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	one, _ := begin(t, s, "", "hello")
	two, _ := begin(t, s, "", "and here")
	add := func(session string, hours int, r Request) {
		r.Session, r.Created, r.Endpoint, r.Reasoning = session, noon.Add(time.Duration(hours)*time.Hour), "e", -1
		_, err := s.AddRequest(ctx, r)
		must(t, "add", err)
	}
	add(one.ID, 0, Request{Model: "m", CostFrom: "prices", Cost: 5, Prompt: 100, Cached: 40, CacheWrite: 7, Answer: 10})
	add(one.ID, 1, Request{Model: "m", CostFrom: "prices", Cost: 6, Prompt: 200, Cached: -1, Answer: 20})
	add(two.ID, 2, Request{Model: "m", CostFrom: "prices", Cost: 7, Prompt: 300, Answer: 30})
	add(two.ID, 2, Request{Model: "m", Purpose: ForTitle, CostFrom: "unknown", Prompt: -1, Cached: -1, Answer: -1})
	// This one is at the end of one period and the start of the next.
	add(two.ID, 24, Request{Model: "n", CostFrom: "server", Cost: 9, Prompt: 1, Answer: 1})
	periods := []Period{
		{noon.Add(-time.Hour), noon.Add(24 * time.Hour)},
		{noon.Add(24 * time.Hour), noon.Add(48 * time.Hour)},
		{noon.Add(48 * time.Hour), noon.Add(72 * time.Hour)},
	}
	first := Usage{
		Endpoint: "e", Model: "m", From: "prices", Requests: 3, Cost: 18, Prompt: 600, Cached: 40, CacheWrite: 7, Answer: 60,
	}
	title := Usage{Endpoint: "e", Model: "m", Purpose: ForTitle, From: "unknown", Requests: 1, Uncounted: 1}
	later := Usage{Period: 1, Endpoint: "e", Model: "n", From: "server", Requests: 1, Cost: 9, Prompt: 1, Answer: 1}
	of := func(session string, u Usage) Usage { u.Session = session; return u }
	ofOne, ofTwo := of(one.ID, first), of(two.ID, first)
	ofOne.Requests, ofOne.Cost, ofOne.Prompt, ofOne.Answer = 2, 11, 300, 30
	ofTwo.Requests, ofTwo.Cost, ofTwo.Prompt, ofTwo.Answer, ofTwo.Cached, ofTwo.CacheWrite = 1, 7, 300, 30, 0, 0
	for bySession, want := range map[bool][]Usage{
		false: {first, title, later},
		true:  {ofOne, ofTwo, of(two.ID, title), of(two.ID, later)},
	} {
		got, err := s.Usage(ctx, UsageFilter{Periods: periods, BySession: bySession})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("by session %v: got\n%+v, %v\nwant\n%+v", bySession, got, err, want)
		}
	}

	// The trash keeps a session and what it used; a purge takes both.
	must(t, "delete", s.Delete(ctx, one.ID))
	if got, err := s.Usage(ctx, UsageFilter{Periods: periods[:1]}); err != nil || got[0].Requests != 3 {
		t.Errorf("with a session in the trash: %+v, %v; want all requests", got, err)
	}
	must(t, "purge", s.Purge(ctx, one.ID))
	got, err := s.Usage(ctx, UsageFilter{Periods: periods[:1]})
	if err != nil || got[0].Requests != 1 || got[0].Cost != 7 {
		t.Errorf("after a purge: %+v, %v; want one request", got, err)
	}
}
