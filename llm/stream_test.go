package llm

import (
	"errors"
	"strings"
	"testing"
)

// delta2 is a chunk as an event of the stream.
func delta2(text string) string { return "data: " + delta(text) + "\n\n" }

func TestStreamEndsWhenItsReaderLeaves(t *testing.T) {
	server := script(chunks(delta("one"), delta("two"), "[DONE]"))
	n := 0
	for range server.client().Stream(t.Context(), hello()) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("got %d events after break, want 1", n)
	}
}

// The line would be as long the next time, and the connection was not lost.
func TestALineOverTheLimitIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	server := script(step{say: []string{"data: ", strings.Repeat("x", 16<<20)}})
	_, _, err := heard(server.client(), hello())
	if !errors.Is(err, ErrBadResponse) || !strings.Contains(err.Error(), "a line of the stream is longer than 16 MiB") || server.times() != 1 {
		t.Errorf("got %v after %d requests, want one sentence about the line after 1", err, server.times())
	}
}

// BenchmarkStream measures everything from the transport to the events.
func BenchmarkStream(b *testing.B) {
	one := step{say: []string{strings.Repeat(delta2("some words of an answer"), 1000), "data: [DONE]\n\n"}}
	b.SetBytes(int64(len(one.say[0])))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range script(one).client().Stream(b.Context(), hello()) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
