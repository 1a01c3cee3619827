package session

import (
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/record"
	"winnow/session/store"
)

// BenchmarkRecord is what it costs to store the record of a request, of a conversation that goes on by two messages
// from one to the next.
func BenchmarkRecord(b *testing.B) {
	bench := newBench(b)
	records := record.Records{Store: bench.deps.Store, Session: bench.imported(1, numbered).ID}
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			past := make([]history.Message, n+100)
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
			var plans []history.Plan
			for upto := n; upto < len(past); upto += 2 {
				plan, err := history.Build(past[:upto], history.Options{Policy: policy, Turn: past[upto : upto+1]})
				if err != nil {
					b.Fatal(err)
				}
				plans = append(plans, plan)
			}
			for i := 0; b.Loop(); i++ {
				plan := plans[i%len(plans)]
				leaving := record.Leaving{Turn: 1, User: 1, Purpose: store.ForAnswer, Endpoint: "test", Plan: plan}
				if _, err := records.Add(b.Context(), leaving); err != nil {
					b.Fatal(err)
				}
			}
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
		damaged.Repairs = append(damaged.Repairs, history.Repair{
			Kind: "C7", Cause: history.Cause{Text: "an id"}, Before: fmt.Sprint(i), After: "b",
		})
	}
	plan := history.Plan{Rules: history.Rules, Entries: []history.Entry{damaged}}
	for b.Loop() {
		if err := record.KeepRepairs(b.Context(), s.deps.Store, plan); err != nil {
			b.Fatal(err)
		}
	}
}
