package record

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"winnow/llm/pricing"
	"winnow/session/store"
)

// Usage is what several requests used together.
type Usage struct {
	CostSum
	Prompt     int // tokens as reported by the servers
	Cached     int // part of Prompt that was read from a cache
	CacheWrite int // part of Prompt that was written to a cache
	Answer     int
	Reasoning  int // part of Answer
	Uncounted  int // number of requests without reported tokens
}

func (u *Usage) add(s store.Usage) {
	u.Add(s.Requests, pricing.Cost{Amount: pricing.Money(s.Cost), From: pricing.CostFrom(s.CostFrom)})
	u.Prompt += s.Prompt
	u.Cached += s.Cached
	u.CacheWrite += s.CacheWrite
	u.Answer += s.Answer
	u.Reasoning += s.Reasoning
	u.Uncounted += s.Uncounted
}

// UsageKey says what a line of a UsageReport sums up. Fields by which the report is not grouped are empty.
type UsageKey struct {
	Day     time.Time // start of the day
	Model   string    // endpoint/model
	Session string
	Title   string // title of the session
}

// UsageLine is one line of a UsageReport.
type UsageLine struct {
	UsageKey
	Usage
}

// UsageReport is the usage of some days. Its lines are sorted by day, model and session.
type UsageReport struct {
	Lines    []UsageLine
	Total    Usage
	Purposes map[store.Purpose]Usage // the total by purpose
}

// UsageGroups says by what a UsageReport is grouped.
type UsageGroups struct{ Day, Model, Session bool }

// ReportUsage returns the usage of all requests in some stores, from the local day of from to that of to, both
// included.
func ReportUsage(ctx context.Context, from, to time.Time, by UsageGroups, stores ...*store.Store) (UsageReport, error) {
	days := daysFrom(from, to, time.Local)
	report := UsageReport{Purposes: map[store.Purpose]Usage{}}
	sums := map[UsageKey]Usage{}
	for _, s := range stores {
		rows, err := s.Usage(ctx, store.UsageFilter{Periods: days, BySession: by.Session})
		if err != nil {
			return report, err
		}
		for _, row := range rows {
			key := UsageKey{Session: row.Session, Title: row.Title}
			if by.Day {
				key.Day = days[row.Period].From
			}
			if by.Model {
				key.Model = row.Endpoint + "/" + row.Model
			}
			sum, purpose := sums[key], report.Purposes[row.Purpose]
			sum.add(row)
			purpose.add(row)
			report.Total.add(row)
			sums[key], report.Purposes[row.Purpose] = sum, purpose
		}
	}
	for key, sum := range sums {
		report.Lines = append(report.Lines, UsageLine{key, sum})
	}
	slices.SortFunc(report.Lines, func(a, b UsageLine) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Session, b.Session))
	})
	return report, nil
}

// SessionUsage returns the usage of a stored session on all branches, including titles and summaries.
func SessionUsage(ctx context.Context, s *store.Store, session string) (all Usage, err error) {
	ever := store.Period{To: time.UnixMilli(math.MaxInt64)}
	rows, err := s.Usage(ctx, store.UsageFilter{Periods: []store.Period{ever}, Session: session})
	for _, row := range rows {
		all.add(row)
	}
	return all, err
}

// StartOfMonth returns the start of the local month of a time.
func StartOfMonth(t time.Time) time.Time {
	y, m, _ := t.Local().Date()
	return startOf(y, m, 1, time.Local)
}

// startOf returns the first moment of a day. If the clock is put forward at midnight, the day begins at one o'clock.
func startOf(y int, m time.Month, d int, in *time.Location) time.Time {
	noon := time.Date(y, m, d, 12, 0, 0, 0, in)
	start := time.Date(y, m, d, 0, 0, 0, 0, in)
	if start.Day() != noon.Day() { // midnight does not exist, and Date returned a time on the day before
		_, start = start.ZoneBounds()
	}
	return start
}

// daysFrom returns the days from that of one time to that of another, both included. A day on which the clock changes
// does not have 24 hours.
func daysFrom(from, to time.Time, in *time.Location) []store.Period {
	y, m, d := from.In(in).Date()
	var days []store.Period
	for day := startOf(y, m, d, in); !day.After(to); d++ {
		next := startOf(y, m, d+1, in)
		days = append(days, store.Period{From: day, To: next})
		day = next
	}
	return days
}
