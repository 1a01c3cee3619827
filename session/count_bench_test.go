package session

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	"winnow/llm/tokenizer"
)

// worked is the processor time of this program so far.
func worked(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkUncounted opens an imported conversation of 100,000 messages that was never counted. It
// reports the processor time until all of it is read, of the first plan, of the counting, and of the
// first plan behind that, and how long one part of the counting takes.
func BenchmarkUncounted(b *testing.B) {
	texts := paragraphs(b)
	bench := newBench(b)
	tokenizer := tokenizer.New()
	bench.deps.Count, bench.deps.Guess, bench.deps.Tokenizer = tokenizer.Count, tokenizer.Guess, tokenizer.Name()
	size := 0
	row := bench.imported(100_000, func(i int) string {
		text := texts[i%len(texts)]
		text = fmt.Sprintf("Message %d. %s", i, text[:min(len(text), 1000)])
		size += len(text)
		return text
	})
	for b.Loop() {
		at := worked(b)
		step := func(name string) {
			now := worked(b)
			b.ReportMetric(float64((now - at).Milliseconds()), name)
			at = worked(b)
		}
		s := bench.loaded(row.ID)
		step("read-ms")
		if _, err := s.Preview("And?"); err != nil {
			b.Fatal(err)
		}
		step("plan-ms")
		var parts []time.Duration
		before := worked(b)
		err := CountAll(b.Context(), s, func(Counting) {
			now := worked(b)
			parts, before = append(parts, now-before), now
		})
		if err != nil {
			b.Fatal(err)
		}
		step("count-ms")
		if _, err := s.Preview("And?"); err != nil {
			b.Fatal(err)
		}
		step("again-ms")
		slices.Sort(parts)
		b.ReportMetric(float64(parts[len(parts)/2].Milliseconds()), "part-ms")
		b.ReportMetric(float64(size)/1e6, "MB")
		// The next round counts anew.
		bench.deps.Tokenizer += "'"
	}
}
