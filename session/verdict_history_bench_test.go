package session

import (
	"fmt"
	"testing"

	"winnow/history"
	"winnow/session/store"
)

// remembering stores a conversation with a record of so many requests. In a short one each turn has
// the record of its own plan; in a long one all of them have the newest, which is the longest.
func remembering(b *testing.B, messages, requests int) *Session {
	bench := newBench(b)
	row := bench.imported(messages, numbered)
	s := bench.loaded(row.ID)
	all := s.Messages()
	past := make([]history.Message, len(all))
	for i, m := range all {
		past[i] = m.Message
		past[i].Tokens = 256
	}
	var plan *store.Verdicts
	for i := range requests {
		upto := len(past) * (i + 1) / requests
		if messages > 1000 {
			upto = len(past)
		}
		if plan == nil || messages <= 1000 {
			p, err := history.Build(past[:upto-1], history.Options{
				Policy: bench.deps.Policy, Turn: past[upto-1 : upto],
			})
			if err != nil {
				b.Fatal(err)
			}
			plan = &store.Verdicts{Sum: p.Sum, Entries: p.Entries, Added: p.Added}
		}
		r := store.Request{
			Session: row.ID, Turn: i + 1, User: past[upto-1].ID, Endpoint: "test", Model: "m", End: "done", Plan: plan,
		}
		if _, err := bench.deps.Store.AddRequest(b.Context(), r); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkLastWhole asks for 50 messages: the newest, some from all of the conversation, and some
// with one among them that no model ever saw whole.
func BenchmarkLastWhole(b *testing.B) {
	for _, size := range []struct{ messages, requests int }{{400, 200}, {10_000, 5000}} {
		s := remembering(b, size.messages, size.requests)
		all := s.Messages()
		var newest, spread []int64
		for i := range 50 {
			newest = append(newest, all[len(all)-1-i].ID)
			spread = append(spread, all[i*len(all)/50].ID)
		}
		never := append(spread[:49:49], all[len(all)-1].ID+1)
		for _, c := range []struct {
			name string
			ids  []int64
		}{{"newest", newest}, {"spread", spread}, {"never", never}} {
			b.Run(fmt.Sprintf("%d-%d/%s", size.messages, size.requests, c.name), func(b *testing.B) {
				n := 0
				for b.Loop() {
					found, err := s.Records().LastWhole(b.Context(), c.ids...)
					if err != nil {
						b.Fatal(err)
					}
					n = len(found)
				}
				b.ReportMetric(float64(n), "found")
			})
		}
	}
}

// BenchmarkVerdictHistory asks what became of one message, of the newest 20 requests and of all.
func BenchmarkVerdictHistory(b *testing.B) {
	for _, size := range []struct{ messages, requests int }{{400, 200}, {10_000, 5000}} {
		s := remembering(b, size.messages, size.requests)
		id := s.Messages()[1].ID
		for _, limit := range []int{20, 0} {
			b.Run(fmt.Sprintf("%d-%d/%d", size.messages, size.requests, limit), func(b *testing.B) {
				for b.Loop() {
					if list, err := s.Records().VerdictHistory(b.Context(), id, limit); err != nil ||
						len(list) < min(20, limit) {
						b.Fatal(len(list), err)
					}
				}
			})
		}
	}
}
