package session

import (
	"fmt"
	"testing"
)

// BenchmarkLoadPast reads what the records of a conversation tell.
func BenchmarkLoadPast(b *testing.B) {
	for _, size := range []struct{ messages, requests int }{{400, 200}, {10_000, 5000}} {
		s := remembering(b, size.messages, size.requests)
		b.Run(fmt.Sprintf("%d-%d", size.messages, size.requests), func(b *testing.B) {
			for b.Loop() {
				s.before = past{}
				if err := s.LoadPast(b.Context()); err != nil || len(s.before.lost) == 0 {
					b.Fatal(len(s.before.lost), err)
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
	for name, lost := range map[string][]int64{"again": cutShort(plan.Entries), "first": nil} {
		b.Run(name, func(b *testing.B) {
			s.before = past{read: true, begun: true, lost: lost}
			n := 0
			for b.Loop() {
				n = len(s.Losses(plan))
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
	s.before.sent = s.weigh(s.Ref(), plan)
	for b.Loop() {
		if !s.Prefix(plan).Known {
			b.Fatal("it is not known")
		}
	}
}
