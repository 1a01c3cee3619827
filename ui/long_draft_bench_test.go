package ui

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A key in a draft of 100 kB, with the frame that shows it: the time that 19 of 20 keys stay below is reported.
func BenchmarkLongDraft(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"1,000 lines", strings.Repeat(strings.Repeat("some words ", 9)+"\n", 1000)},
		{"one line", strings.Repeat("some words ", 9000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			m := chatting(b, 120, 40)
			m.composer.Rewrite(c.text)
			m.arrange()
			var took []time.Duration
			for b.Loop() {
				began := time.Now()
				m.Update(char('x'))
				m.View()
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms/key")
		})
	}
}
