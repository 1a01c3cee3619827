package record

import (
	"context"
	"maps"
	"testing"
	"time"
	_ "time/tzdata" // the zones of the tests, where the machine has none

	"pgregory.net/rapid"

	"winnow/llm/pricing"
	"winnow/session/store"
)

// However a report divides the requests, its lines add up to the total, and so do the purposes.
func TestUsageAddsUp(t *testing.T) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.InMemory, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	row, _, err := s.BeginSession(ctx, store.Session{Title: "one"}, store.Message{})
	if err != nil {
		t.Fatal(err)
	}
	year := 2026
	rapid.Check(t, func(t *rapid.T) {
		start := time.Date(year, 10, 20, 0, 0, 0, 0, time.Local)
		year++ // the next requests are of other days
		var want Usage
		for range rapid.IntRange(0, 10).Draw(t, "requests") {
			r := store.Request{
				Session: row.ID, Endpoint: "e", Model: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "model"),
				Created: start.Add(time.Duration(rapid.IntRange(0, 20*24-1).Draw(t, "hour")) * time.Hour),
				Purpose: rapid.SampledFrom([]store.Purpose{store.PurposeAnswer, store.PurposeSummary, store.PurposeTitle}).Draw(t,
					"purpose"),
				Cost: int64(rapid.IntRange(0, 9).Draw(t, "cost")), Prompt: rapid.IntRange(-1, 99).Draw(t, "prompt"),
				Cached: -1, Answer: -1, Reasoning: -1,
			}
			cost := pricing.Cost{
				Amount: pricing.Money(r.Cost),
				From: rapid.SampledFrom([]pricing.CostFrom{
					pricing.Charged, pricing.Estimated, pricing.Unpriced, "",
				}).Draw(t, "from"),
			}
			r.CostFrom = string(cost.From)
			if _, err := s.AddRequest(ctx, r); err != nil {
				t.Fatal(err)
			}
			want.Add(1, cost)
			want.Prompt += max(0, r.Prompt)
			if r.Prompt < 0 {
				want.Uncounted++
			}
		}
		by := UsageGroups{
			rapid.Bool().Draw(t, "by day"), rapid.Bool().Draw(t, "by model"), rapid.Bool().Draw(t, "by session"),
		}
		report, err := ReportUsage(ctx, start, start.AddDate(0, 0, 21), by, s)
		if err != nil {
			t.Fatal(err)
		}
		if report.Total != want {
			t.Fatalf("the total is %+v, want %+v", report.Total, want)
		}
		var lines, purposes [4]int
		for _, l := range report.Lines {
			lines = plus(lines, l.Usage)
			if l.Day.IsZero() == by.Day || (l.Model == "") == by.Model || (l.Session == "") == by.Session ||
				by.Session && l.Title != "one" {
				t.Fatalf("by %+v there is a line of %+v", by, l.UsageKey)
			}
		}
		for _, u := range report.Purposes {
			purposes = plus(purposes, u)
		}
		if all := plus([4]int{}, want); lines != all || purposes != all {
			t.Fatalf("the lines add up to %d, the purposes to %d, want %d", lines, purposes, all)
		}
	})
}

// plus adds requests, costs and tokens to a sum of them.
func plus(sum [4]int, u Usage) [4]int {
	return [4]int{sum[0] + u.Requests, sum[1] + int(u.Amount), sum[2] + u.Prompt, sum[3] + u.Uncounted}
}

func TestASumSaysWhatIsMissingInIt(t *testing.T) {
	for _, test := range []struct {
		spent CostSum
		want  string
	}{
		{CostSum{}, ""},
		{CostSum{Requests: 3}, ""},
		{CostSum{Requests: 3, Priced: 3}, "$0"},
		{CostSum{Requests: 3, Priced: 2, Amount: pricing.Dollar}, "$1.00"},
		{CostSum{Requests: 3, Unpriced: 1}, "1 request of unknown price"},
		{
			CostSum{Requests: 9, Priced: 6, Unpriced: 3, Amount: 12 * pricing.Dollar / 10},
			"$1.20 + 3 requests of unknown price",
		},
		{
			CostSum{Requests: 9, Priced: 6, Unpriced: 3, Amount: 12 * pricing.Dollar / 10, Estimated: true},
			"~$1.20 + 3 requests of unknown price",
		},
	} {
		if got := test.spent.Sentence(); got != test.want {
			t.Errorf("%+v is written %q, want %q", test.spent, got, test.want)
		}
	}
}

// Days follow each other without a gap, also where a day begins at one o'clock or has 23 or 25 hours.
func TestDaysCoverAllTime(t *testing.T) {
	for _, test := range []struct {
		zone     string
		from, to time.Time
		odd      map[string]time.Duration // days of other than 24 hours
	}{
		{"UTC", time.Date(2026, 2, 27, 5, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), nil},
		{"Europe/Berlin", time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC), time.Date(2026, 3, 31, 12, 0, 0, 0,
			time.UTC), map[string]time.Duration{"2026-03-29": 23 * time.Hour}},
		{"Europe/Berlin", time.Date(2026, 10, 23, 12, 0, 0, 0, time.UTC), time.Date(2026, 10, 27, 12, 0, 0, 0,
			time.UTC), map[string]time.Duration{"2026-10-25": 25 * time.Hour}},
		{"America/Sao_Paulo", time.Date(2018, 11, 2, 12, 0, 0, 0, time.UTC), time.Date(2018, 11, 6, 12, 0, 0, 0,
			time.UTC), map[string]time.Duration{"2018-11-04": 23 * time.Hour}},
		{"Asia/Beirut", time.Date(2022, 3, 25, 12, 0, 0, 0, time.UTC), time.Date(2022, 3, 29, 12, 0, 0, 0,
			time.UTC), map[string]time.Duration{"2022-03-27": 23 * time.Hour}},
	} {
		in, err := time.LoadLocation(test.zone)
		if err != nil {
			t.Fatal(err)
		}
		days := daysFrom(test.from, test.to, in)
		odd := map[string]time.Duration{}
		for i, day := range days {
			if i > 0 && !day.From.Equal(days[i-1].To) {
				t.Errorf("%s: %s follows a day that ends at %s", test.zone, day.From, days[i-1].To)
			}
			if y, m, d := day.From.Date(); startOf(y, m, d, in) != day.From {
				t.Errorf("%s: the day of %s does not begin then", test.zone, day.From)
			}
			if hours := day.To.Sub(day.From); hours != 24*time.Hour {
				odd[day.From.Format(time.DateOnly)] = hours
			}
		}
		first, last := days[0], days[len(days)-1]
		if test.from.Before(first.From) || !test.from.Before(first.To) || test.to.Before(last.From) ||
			!test.to.Before(last.To) {
			t.Errorf("%s: %s to %s are covered by %s to %s", test.zone, test.from, test.to, first.From, last.To)
		}
		if !maps.Equal(odd, test.odd) {
			t.Errorf("%s: the odd days are %v, want %v", test.zone, odd, test.odd)
		}
	}
}
