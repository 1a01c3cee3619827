package session

import (
	"fmt"
	"testing"
	"time"

	"winnow/history"
	"winnow/session/record"
)

// BenchmarkLoadPast reads what the records of a conversation tell.
func BenchmarkLoadPast(b *testing.B) {
	for _, size := range []struct{ messages, requests int }{{400, 200}, {10_000, 5000}} {
		s := remembering(b, size.messages, size.requests)
		b.Run(fmt.Sprintf("%d-%d", size.messages, size.requests), func(b *testing.B) {
			for b.Loop() {
				s.before = record.NewPast(s.deps.Count, false)
				s.before.Use(s.Ref())
				if err := s.LoadPast(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkLosses asks it of a plan that sends hardly any of its messages, when all of them were cut short
// before, and when none was.
func BenchmarkLosses(b *testing.B) {
	s := remembering(b, 10_000, 1)
	plan, err := s.Preview("And now?")
	if err != nil {
		b.Fatal(err)
	}
	for name, before := range map[string]history.Plan{"again": plan, "first": {}} {
		b.Run(name, func(b *testing.B) {
			s.before = record.NewPast(s.deps.Count, true)
			s.before.Answered(s.Ref(), time.Time{}, before, s.Branch())
			s.before.EndTurn()
			n := 0
			for b.Loop() {
				n = len(s.before.Forecast(plan).Losses)
			}
			b.ReportMetric(float64(n), "losses")
		})
	}
}

// BenchmarkPrefix compares a plan with the request before it.
func BenchmarkPrefix(b *testing.B) {
	s := remembering(b, 10_000, 1)
	plan, err := s.Preview("And now?")
	if err != nil {
		b.Fatal(err)
	}
	s.before.Answered(s.Ref(), time.Time{}, plan, s.Branch())
	for b.Loop() {
		if !s.Past().Forecast(plan).Prefix.Known {
			b.Fatal("it is not known")
		}
	}
}
