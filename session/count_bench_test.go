package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"winnow/llm"
)

// BenchmarkUncounted opens an imported conversation of 100,000 messages that was never counted: the
// time until the first plan, until the plan is counted, and of the writes in between.
func BenchmarkUncounted(b *testing.B) {
	texts := paragraphs(b)
	bench := newBench(b)
	tokenizer := llm.NewCounter()
	bench.deps.Count, bench.deps.Guess, bench.deps.Tokenizer = tokenizer.Count, tokenizer.Guess, tokenizer.Name()
	const n = 100_000
	size := 0
	row := bench.imported(n, func(i int) string {
		text := texts[i%len(texts)]
		text = fmt.Sprintf("Message %d. %s", i, text[:min(len(text), 1000)])
		size += len(text)
		return text
	})
	for b.Loop() {
		begun := time.Now()
		s := bench.loaded(row.ID)
		loaded := time.Since(begun)
		if _, err := s.Preview("And?"); err != nil {
			b.Fatal(err)
		}
		planned := time.Since(begun)
		var slice []time.Duration
		at := time.Now()
		if err := s.CountAll(b.Context(), func(Counting) {
			slice = append(slice, time.Since(at))
			at = time.Now()
		}); err != nil {
			b.Fatal(err)
		}
		counted := time.Since(begun)
		begun = time.Now()
		if _, err := s.Preview("And?"); err != nil {
			b.Fatal(err)
		}
		again := time.Since(begun)
		slices.Sort(slice)
		b.ReportMetric(float64(size)/1e6, "MB")
		b.ReportMetric(float64(loaded.Milliseconds()), "loaded-ms")
		b.ReportMetric(float64(planned.Milliseconds()), "planned-ms")
		b.ReportMetric(float64(counted.Milliseconds()), "counted-ms")
		b.ReportMetric(float64(slice[len(slice)/2].Milliseconds()), "slice-p50-ms")
		b.ReportMetric(float64(slice[len(slice)*95/100].Milliseconds()), "slice-p95-ms")
		b.ReportMetric(float64(again.Milliseconds()), "again-ms")
		// The next round counts anew.
		bench.deps.Tokenizer += "'"
	}
}
