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
			c := Read(chat(n/2), nil)
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
				if _, err := Read(past, nil).Build(benchOptions(b, "balanced", 0)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAppendTurn plans a request after each turn that is appended.
func BenchmarkAppendTurn(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			past := chat(n/2 + 1)
			c, o := Read(past[:n], nil), benchOptions(b, "balanced", 0)
			c.Build(o)
			for b.Loop() {
				c.Append(past[n : n+2]...)
				c.Build(o)
			}
		})
	}
}

// reuse is the average share of a request's tokens that the request before it begins with too: what
// a provider's prompt cache, or a local model, need not read again.
func reuse(tb testing.TB, o Options, turns int) float64 {
	return reuseIn(tb, Read(nil, nil), chat(turns), o, func(Plan) bool { return true })
}

// reuseIn is the same for any conversation, of the requests that count.
func reuseIn(tb testing.TB, c *Conversation, messages []Message, o Options, counts func(Plan) bool) float64 {
	var before []Message
	sum, requests := 0.0, 0
	for _, m := range messages {
		if m.Role == User {
			o.Turn = []Message{m}
			p, err := c.Build(o)
			if err != nil {
				tb.Fatal(err)
			}
			same, total, alike := 0, 0, Alike(before, p.Messages)
			for k, m := range p.Messages {
				cost := c.count(m.Content) + overhead(&m, c.count) + frameMessage
				total += cost
				if k < alike {
					same += cost
				}
			}
			if before != nil && counts(p) {
				sum += float64(same) / float64(total)
				requests++
			}
			before = p.Messages
		}
		c.Append(m)
	}
	return sum / float64(max(1, requests))
}

// BenchmarkReplayReuse is the same of real conversations, turn by turn, of the requests that do not hold everything:
// what is recalled differs more there than in a chat about one thing.
func BenchmarkReplayReuse(b *testing.B) {
	for _, conv := range allConversations(b) {
		if conv.name != "english-nurse" && conv.name != "agent-shop" && conv.name != "people-en-imani-rafe" {
			continue
		}
		for _, budget := range []int{4000, 8000, 16000, 32000} {
			for name, recall := range map[string]int{"balanced": 8192, "balanced-without-recall": 0} {
				b.Run(fmt.Sprintf("%s/%s/%d", conv.name, name, budget), func(b *testing.B) {
					o := benchOptions(b, "balanced", budget)
					o.Policy.RecallMaxTokens = recall
					for b.Loop() {
						b.ReportMetric(reuseIn(b, Read(nil, o200k()), conv.past, o, func(p Plan) bool {
							return slices.ContainsFunc(p.Entries, func(e Entry) bool { return !e.Whole })
						}), "reused")
					}
				})
			}
		}
	}
}

func BenchmarkPrefixReuse(b *testing.B) {
	for _, budget := range []int{32000, 8000} {
		for _, preset := range []string{"balanced", "recall", "classic", "assistant-first", "recent", "summary"} {
			b.Run(fmt.Sprintf("%s/%d", preset, budget), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(reuse(b, benchOptions(b, preset, budget), 500), "reused")
				}
			})
		}
		b.Run(fmt.Sprintf("balanced-without-recall/%d", budget), func(b *testing.B) {
			o := benchOptions(b, "balanced", budget)
			o.Policy.RecallMaxTokens = 0
			for b.Loop() {
				b.ReportMetric(reuse(b, o, 500), "reused")
			}
		})
		b.Run(fmt.Sprintf("drop-oldest/%d", budget), func(b *testing.B) {
			o := benchOptions(b, "recent", budget)
			o.Policy.MaxMessages = NoLimit
			for b.Loop() {
				b.ReportMetric(reuse(b, o, 500), "reused")
			}
		})
	}
}

// The body of a request changes in steps, so that most of it is the beginning of the request before.
func TestARequestBeginsLikeTheOneBefore(t *testing.T) {
	o := benchOptions(t, "balanced", 32000)
	o.Policy.RecallMaxTokens = 0
	if got := reuse(t, o, 500); got < 0.87 {
		t.Errorf("a chat of 500 turns at 32,000 tokens reuses %.3f of its requests on average, want 0.87", got)
	}
}
