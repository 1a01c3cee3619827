package session

import (
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	"winnow/session/target"
)

// BenchmarkRecord is what it costs to keep the verdicts of a request that is about to leave, and how
// many bytes they take.
func BenchmarkRecord(b *testing.B) {
	client := newBench(b).begin().Model().Client
	for _, n := range []int{100, 1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			past := make([]history.Message, n)
			for i := range past {
				role, text := history.User, "What about "+strings.Repeat("this and that ", i%17)
				if i%2 == 1 {
					role, text = history.Assistant, "It is so. "+strings.Repeat("And it is so because it was ", i%41)
				}
				past[i] = history.Message{ID: int64(i + 1), Role: role, Content: text, Tokens: len(text) / 4}
			}
			policy, err := history.Preset("balanced")
			if err != nil {
				b.Fatal(err)
			}
			plan, err := history.Build(past, history.Options{Policy: policy, Turn: []history.Message{{ID: int64(n + 1), Role: history.User, Content: "And this?"}}})
			if err != nil {
				b.Fatal(err)
			}
			var r store.Request
			a := asked{to: target.New(target.Deps{}, client, ""), plan: plan}
			for b.Loop() {
				if r, err = newRecord("", 1, 1, store.ForAnswer, a); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(r.Plan)), "bytes")
		})
	}
}

// BenchmarkKeepRepairs records a thousand repairs, as each request of a badly damaged history does.
func BenchmarkKeepRepairs(b *testing.B) {
	bench := newBench(b, says("Hello."))
	s := bench.begin()
	if _, err := drain(s.Send(b.Context(), "Hello?")); err != nil {
		b.Fatal(err)
	}
	id := s.Messages()[0].ID
	damaged := history.Entry{ID: id}
	for i := range 1000 {
		damaged.Repairs = append(damaged.Repairs, history.Repair{Kind: "C7", Cause: history.Cause{Text: "an id"}, Before: fmt.Sprint(i), After: "b"})
	}
	plan := history.Plan{Rules: history.Rules, Entries: []history.Entry{damaged}}
	for b.Loop() {
		if err := KeepRepairs(b.Context(), s.deps.Store, plan); err != nil {
			b.Fatal(err)
		}
	}
}
