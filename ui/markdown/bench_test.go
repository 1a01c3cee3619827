package markdown

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// deltaBytes and frameDeltas are how an answer arrives: tokens of about 13 bytes, and a frame
// for every 33 of them.
const (
	deltaBytes  = 13
	frameDeltas = 33
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

// answers returns the texts whose cost is watched, by name.
func answers(b testing.TB) map[string]string {
	sentence := "A sentence of a paragraph that has nothing in it but words, one behind the other. "
	paragraph := strings.Repeat(sentence, 6) + "\n\n"
	var table strings.Builder
	table.WriteString("| name | value | why |\n|---|--:|---|\n")
	for i := range 150 {
		fmt.Fprintf(&table, "| row %d | %d | some text in the cell %d, with `code` |\n", i, i*i, i)
	}
	var code strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&code, "func f%03d(a int) (string, error) { return \"text\", nil } // why\n", i)
	}
	return map[string]string{
		"mixed200K":     answer(b, 200_000),
		"code61K":       "```go\n" + code.String() + "```\n",
		"paragraphs20K": strings.Repeat(paragraph, 40),
		"paragraph20K":  strings.Repeat(sentence, 240),
		"marks20K": strings.Repeat("Some **weight**, some `code` and *more* of [it](https://example.org/it). ",
			270),
		"list20K":        strings.Repeat("- An item with **weight** and `code` in one line of text.\n", 340),
		"table8K":        table.String(),
		"longProse60K":   strings.Repeat(strings.Repeat(sentence, 30)+"\n\n", 25),
		"indentedCode8K": strings.Repeat("    x := f(a, b) // as it is\n", 280),
	}
}

// inFrames streams md as it arrives, calls frame for each frame and finishes the stream.
func inFrames(md string, frame func(*Stream)) {
	s := NewStream(newAt(dark, 80))
	for at, n := 0, 1; at < len(md); at, n = at+deltaBytes, n+1 {
		s.Write(md[at:min(at+deltaBytes, len(md))])
		if n%frameDeltas == 0 {
			frame(s)
		}
	}
	s.Finish()
}

// BenchmarkStream reports what a streamed answer costs, as a multiple of rendering the finished
// text once. The bar is twice.
func BenchmarkStream(b *testing.B) {
	for name, md := range answers(b) {
		b.Run(name, func(b *testing.B) {
			var whole, streamed, worst time.Duration
			for b.Loop() {
				start := time.Now()
				newAt(dark, 80).Render(md)
				whole += time.Since(start)
				start = time.Now()
				inFrames(md, func(s *Stream) {
					frame := time.Now()
					s.Lines()
					worst = max(worst, time.Since(frame))
				})
				streamed += time.Since(start)
			}
			b.ReportMetric(float64(streamed)/float64(whole), "times-once")
			b.ReportMetric(float64(whole.Microseconds())/1000/float64(b.N), "once-ms")
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-frame-ms")
		})
	}
}
