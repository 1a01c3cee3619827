package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// answer returns a mixed answer of about size bytes.
func answer(b testing.TB, size int) string {
	part := corpus(b)["answer.md"]
	part = strings.ReplaceAll(part, "[ref]:", "ref:")
	var s strings.Builder
	for s.Len() < size {
		s.WriteString(part + "\n\n")
		s.WriteString(strings.Repeat("A paragraph as models write them, with **weight** and `code`. ", 6) + "\n\n")
	}
	return s.String()[:size]
}

// BenchmarkStream reports what a streamed answer of 200 KB costs at 30 frames a second, as a
// multiple of rendering the finished text once.
func BenchmarkStream(b *testing.B) {
	md := answer(b, 200_000)
	code := "```go\n" + strings.Repeat("func f(a int) (string, error) { return \"text\", nil } // why\n", 1000) + "```\n"
	for _, c := range []struct{ name, md string }{{"mixed", md}, {"code", code}} {
		for _, perFrame := range []int{13, 130} {
			b.Run(fmt.Sprintf("%s/%d-bytes-a-frame", c.name, perFrame), func(b *testing.B) {
				var whole, streamed time.Duration
				worst := time.Duration(0)
				for b.Loop() {
					start := time.Now()
					New(Dark, 80).Render(c.md)
					whole += time.Since(start)
					start = time.Now()
					s := NewStream(New(Dark, 80))
					for at := 0; at < len(c.md); at += perFrame {
						frame := time.Now()
						s.Write(c.md[at:min(at+perFrame, len(c.md))])
						s.Lines()
						worst = max(worst, time.Since(frame))
					}
					s.Finish()
					streamed += time.Since(start)
				}
				b.ReportMetric(float64(streamed)/float64(whole), "times-once")
				b.ReportMetric(float64(whole.Milliseconds())/float64(b.N), "once-ms")
				b.ReportMetric(float64(worst.Microseconds())/1000, "worst-frame-ms")
			})
		}
	}
}
