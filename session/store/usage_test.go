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
	add := func(session string, at time.Time, model string, purpose Purpose, from string, cost int64, prompt, cached,
		write, answer int,
	) {
		_, err := s.AddRequest(ctx, Request{
			Session: session, Created: at, Endpoint: "e", Model: model, Purpose: purpose, CostFrom: from, Cost: cost,
			Prompt: prompt, Cached: cached, CacheWrite: write, Answer: answer, Reasoning: -1,
		})
		must(t, "add", err)
	}
	add(one.ID, noon, "m", ForAnswer, "prices", 5, 100, 40, 7, 10)
	add(one.ID, noon.Add(time.Hour), "m", ForAnswer, "prices", 6, 200, -1, 0, 20)
	add(two.ID, noon.Add(2*time.Hour), "m", ForAnswer, "prices", 7, 300, 0, 0, 30)
	add(two.ID, noon.Add(2*time.Hour), "m", ForTitle, "unknown", 0, -1, -1, 0, -1)
	// This one is at the end of one period and the start of the next.
	add(two.ID, noon.Add(24*time.Hour), "n", ForAnswer, "server", 9, 1, 0, 0, 1)
	periods := []Period{
		{noon.Add(-time.Hour), noon.Add(24 * time.Hour)},
		{noon.Add(24 * time.Hour), noon.Add(48 * time.Hour)},
		{noon.Add(48 * time.Hour), noon.Add(72 * time.Hour)},
	}
	for _, test := range []struct {
		name      string
		bySession bool
		want      []Usage
	}{
		{"by model", false, []Usage{
			{
				Endpoint: "e", Model: "m", From: "prices", Requests: 3, Cost: 18,
				Prompt: 600, Cached: 40, CacheWrite: 7, Answer: 60,
			},
			{Endpoint: "e", Model: "m", Purpose: ForTitle, From: "unknown", Requests: 1, Uncounted: 1},
			{Period: 1, Endpoint: "e", Model: "n", From: "server", Requests: 1, Cost: 9, Prompt: 1, Answer: 1},
		}},
		{"by session", true, []Usage{
			{
				Session: one.ID, Endpoint: "e", Model: "m", From: "prices", Requests: 2, Cost: 11,
				Prompt: 300, Cached: 40, CacheWrite: 7, Answer: 30,
			},
			{Session: two.ID, Endpoint: "e", Model: "m", From: "prices", Requests: 1, Cost: 7, Prompt: 300, Answer: 30},
			{Session: two.ID, Endpoint: "e", Model: "m", Purpose: ForTitle, From: "unknown", Requests: 1, Uncounted: 1},
			{
				Period: 1, Session: two.ID, Endpoint: "e", Model: "n", From: "server", Requests: 1, Cost: 9, Prompt: 1,
				Answer: 1,
			},
		}},
	} {
		got, err := s.Usage(ctx, UsageFilter{Periods: periods, BySession: test.bySession})
		must(t, "sum up", err)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", test.name, got, test.want)
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
