package wire

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// BenchmarkChunk decodes an answer of Chat Completions with one token in each chunk.
func BenchmarkChunk(b *testing.B) {
	var body strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&body, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1764000000,`+
			`"model":"small",`+
			`"choices":[{"index":0,"delta":{"content":"w%d "},"finish_reason":null}]}`+"\n\n", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		lines, answer := NewSSEReader(strings.NewReader(body.String())), NewAnswer(Chat)
		all, err := io.ReadAll(lines)
		if err != nil {
			b.Fatal(err)
		}
		for line := range strings.Lines(string(all)) {
			if err := answer.Feed([]byte(strings.TrimPrefix(strings.TrimSpace(line), "data: "))); err != nil {
				b.Fatal(err)
			}
			answer.Events()
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/chunk")
}
