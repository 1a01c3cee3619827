package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// chat is a conversation of so many turns: questions of about 80 tokens, answers of about 950, by a
// counter of one token per four bytes.
func chat(turns int) []Message {
	var list []Message
	for i := range turns {
		question := fmt.Sprintf("Question %d: ", i) + strings.Repeat("what about it, ", 20)
		answer := fmt.Sprintf("Answer %d: ", i) + strings.Repeat("it is like this and that, ", 145)
		list = append(list,
			Message{ID: int64(2*i + 1), Role: User, Content: question, Status: Complete},
			Message{ID: int64(2*i + 2), Role: Assistant, Content: answer, Status: Complete})
	}
	return list
}

func benchOptions(tb testing.TB, preset string, budget int) Options {
	p, err := Preset(preset)
	if err != nil {
		tb.Fatal(err)
	}
	if budget > 0 {
		p.Budget = budget
	}
	return Options{Policy: p, System: "Be kind.", Ratio: 1, Turn: []Message{
		{ID: 1 << 40, Role: User, Content: "and what was the answer to question 4711?"},
	}}
}

// BenchmarkBuild plans a request of a conversation that is read already, with another draft each time.
func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := NewConversation(chat(n/2), nil)
			o := benchOptions(b, "balanced", 0)
			if _, err := c.Build(o); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				o.Turn[0].Content = fmt.Sprintf("and what was the answer to question %d?", i%n)
				from := time.Now()
				if _, err := c.Build(o); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(from))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}

// BenchmarkFirstPlan reads a conversation and plans its first request: repairs, groups, counts, shortens and
// makes searchable.
func BenchmarkFirstPlan(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			past := chat(n / 2)
			bytes := 0
			for i := range past {
				past[i].Tokens = len(past[i].Content) / 4
				bytes += len(past[i].Content)
			}
			b.SetBytes(int64(bytes))
			for b.Loop() {
				if _, err := NewConversation(past, nil).Build(benchOptions(b, "balanced", 0)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// reuse is the average share of a request's tokens that the request before it begins with too: what
// a provider's prompt cache, or a local model, need not read again.
func reuse(tb testing.TB, o Options, turns int) float64 {
	var before []Message
	c, sum, requests := NewConversation(nil, nil), 0.0, 0
	for _, m := range chat(turns) {
		if m.Role == User {
			o.Turn = []Message{m}
			p, err := c.Build(o)
			if err != nil {
				tb.Fatal(err)
			}
			same, total, alike := 0, 0, CommonPrefix(before, p.Messages)
			for k, m := range p.Messages {
				cost := c.count(m.Content) + overhead(&m, c.count) + frameMessage
				total += cost
				if k < alike {
					same += cost
				}
			}
			if before != nil {
				sum += float64(same) / float64(total)
				requests++
			}
			before = p.Messages
		}
		c.Append(m)
	}
	return sum / float64(requests)
}

// The body of a request changes in steps, so that most of it is the beginning of the request before.
func TestARequestBeginsLikeTheOneBefore(t *testing.T) {
	o := benchOptions(t, "balanced", 32000)
	o.Policy.RecallMaxTokens = 0
	if got := reuse(t, o, 500); got < 0.87 {
		t.Errorf("a chat of 500 turns at 32,000 tokens reuses %.3f of its requests on average, want 0.87", got)
	}
}
