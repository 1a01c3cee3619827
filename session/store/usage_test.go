package store

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"winnow/session/store/sqlite"
)

func TestUsageSumsUpPeriods(t *testing.T) {
	s := newStore(t)
	ctx := context.Background()
	noon := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	one, _ := begin(t, s, "", "hello")
	two, _ := begin(t, s, "", "and here")
	add := func(session string, at time.Time, model string, purpose Purpose, from string, cost int64, prompt, cached, write, answer int) {
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
	add(two.ID, noon.Add(24*time.Hour), "n", ForAnswer, "server", 9, 1, 0, 0, 1) // at the end of one period and the start of the next
	periods := []Period{{noon.Add(-time.Hour), noon.Add(24 * time.Hour)}, {noon.Add(24 * time.Hour), noon.Add(48 * time.Hour)}, {noon.Add(48 * time.Hour), noon.Add(72 * time.Hour)}}
	for _, test := range []struct {
		name      string
		bySession bool
		want      []Usage
	}{
		{"by model", false, []Usage{
			{Endpoint: "e", Model: "m", From: "prices", Requests: 3, Cost: 18, Prompt: 600, Cached: 40, CacheWrite: 7, Answer: 60},
			{Endpoint: "e", Model: "m", Purpose: ForTitle, From: "unknown", Requests: 1, Uncounted: 1},
			{Period: 1, Endpoint: "e", Model: "n", From: "server", Requests: 1, Cost: 9, Prompt: 1, Answer: 1},
		}},
		{"by session", true, []Usage{
			{Session: one.ID, Endpoint: "e", Model: "m", From: "prices", Requests: 2, Cost: 11, Prompt: 300, Cached: 40, CacheWrite: 7, Answer: 30},
			{Session: two.ID, Endpoint: "e", Model: "m", From: "prices", Requests: 1, Cost: 7, Prompt: 300, Answer: 30},
			{Session: two.ID, Endpoint: "e", Model: "m", Purpose: ForTitle, From: "unknown", Requests: 1, Uncounted: 1},
			{Period: 1, Session: two.ID, Endpoint: "e", Model: "n", From: "server", Requests: 1, Cost: 9, Prompt: 1, Answer: 1},
		}},
	} {
		got, err := s.Usage(ctx, periods, test.bySession)
		must(t, "sum up", err)
		if !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", test.name, got, test.want)
		}
	}

	// The trash keeps a session and what it used; a purge takes both.
	must(t, "delete", s.Delete(ctx, one.ID))
	if got, err := s.Usage(ctx, periods[:1], false); err != nil || got[0].Requests != 3 {
		t.Errorf("with a session in the trash: %+v, %v; want all requests", got, err)
	}
	must(t, "purge", s.Purge(ctx, one.ID))
	if got, err := s.Usage(ctx, periods[:1], false); err != nil || got[0].Requests != 1 || got[0].Cost != 7 {
		t.Errorf("after a purge: %+v, %v; want one request", got, err)
	}
}

// However the requests are cut into periods, and summed up by session or not, they are all there once.
func TestUsageOfAllPeriodsIsAllUsage(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, sqlite.Memory, Options{})
	must(t, "open", err)
	defer s.Close()
	var sessions []string
	for range 2 {
		row, _, err := s.Begin(ctx, Session{}, Message{})
		must(t, "begin", err)
		sessions = append(sessions, row.ID)
	}
	year := 2026
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(year, 11, 1, 0, 0, 0, 0, time.UTC)
		year++ // the next requests are of other periods
		var want Usage
		for range rapid.IntRange(0, 12).Draw(t, "requests") {
			r := Request{
				Session: rapid.SampledFrom(sessions).Draw(t, "session"), Endpoint: "e", Model: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model"),
				Created: start.Add(time.Duration(rapid.IntRange(0, 999).Draw(t, "minute")) * time.Minute),
				Cost:    int64(rapid.IntRange(0, 9).Draw(t, "cost")), CostFrom: rapid.SampledFrom([]string{"prices", "", "unknown"}).Draw(t, "from"),
				Prompt: rapid.IntRange(-1, 99).Draw(t, "prompt"), Cached: -1, Answer: rapid.IntRange(-1, 9).Draw(t, "answer"), Reasoning: -1,
			}
			if _, err := s.AddRequest(ctx, r); err != nil {
				t.Fatal(err)
			}
			want.Requests++
			want.Cost += r.Cost
			want.Prompt += max(0, r.Prompt)
			want.Answer += max(0, r.Answer)
		}
		var periods []Period
		for from := start; from.Before(start.Add(1000 * time.Minute)); {
			to := from.Add(time.Duration(rapid.IntRange(60, 500).Draw(t, "length")) * time.Minute)
			periods, from = append(periods, Period{from, to}), to
		}
		for _, bySession := range []bool{false, true} {
			rows, err := s.Usage(ctx, periods, bySession)
			if err != nil {
				t.Fatal(err)
			}
			var got Usage
			for _, u := range rows {
				got.Requests += u.Requests
				got.Cost += u.Cost
				got.Prompt += u.Prompt
				got.Answer += u.Answer
			}
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("by session %v: got %+v, want %+v", bySession, got, want)
			}
		}
	})
}

// A hundred thousand requests are summed up from the index alone, of their period alone.
func TestUsageReadsTheIndexAlone(t *testing.T) {
	s := newStore(t)
	for name, query := range map[string]string{"by model": usageByModel, "by session": usageBySession} {
		rows, err := s.reads.Query("EXPLAIN QUERY PLAN "+query, 0, 1)
		must(t, "explain", err)
		var plan []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			must(t, "scan", rows.Scan(&id, &parent, &unused, &detail))
			plan = append(plan, detail)
		}
		must(t, "explain", rows.Err())
		rows.Close()
		want := "SEARCH requests USING COVERING INDEX requests_usage (created_ms>? AND created_ms<?)"
		if got := strings.Join(plan, "\n"); !strings.Contains(got, want) || strings.Contains(got, "SCAN") {
			t.Errorf("%s: the sums are made by\n%s", name, got)
		}
	}
}

// BenchmarkUsage sums up a month of 100,000 requests by days.
func BenchmarkUsage(b *testing.B) {
	ctx := context.Background()
	s, err := Open(ctx, b.TempDir()+"/winnow.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	row, _, err := s.Begin(ctx, Session{}, Message{})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.full.Exec(fmt.Sprintf(`
		WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999)
		INSERT INTO requests (session, turn, user, created_ms, endpoint, model, rules, tokenizer, estimate, body_hash, prompt_tokens, cached_tokens,
			answer_tokens, reasoning_tokens, first_token_us, took_us, retries, finish, ended, error, cost_nano, cost_from)
		SELECT 1, i, 1, %d + i * 25920, 'openai', 'gpt-' || (i %% 5), 1, '', 1, '', 1000, 100, 10, -1, 0, 0, 0, '', 'done', '', i, 'prices' FROM n`, start.UnixMilli())); err != nil {
		b.Fatal(err)
	}
	var days []Period
	for day := range 30 {
		days = append(days, Period{start.AddDate(0, 0, day), start.AddDate(0, 0, day+1)})
	}
	for b.Loop() {
		rows, err := s.Usage(ctx, days, false)
		if err != nil || len(rows) != 150 || row.ID == "" {
			b.Fatal(len(rows), err)
		}
	}
}
