package llm

import (
	"errors"
	"strings"
	"testing"
)

// TestStreamOfEveryKindOfServer reads the answers of streams.txtar.
func TestStreamOfEveryKindOfServer(t *testing.T) {
	checkFixtures(t, "testdata/streams.txtar", func(t *testing.T, head, body string) string {
		var server step
		wire := ChatWire
		for word := range strings.FieldsSeq(head) {
			switch word {
			case "cut":
				server.end = word
			case "responses", "ollama":
				wire = Wire(word)
			case "application/json", "text/html":
				server.header = map[string]string{"Content-Type": word}
			}
		}
		for line := range strings.SplitSeq(body, "\n") {
			server.say = append(server.say, line+"\n\n")
		}
		if last := len(server.say) - 1; strings.Contains(head, "torn") {
			server.say[last] = strings.TrimSpace(server.say[last])
		}
		got, _, err := heard(script(server).client(tries(1), func(e *Endpoint) { e.Wire = wire }), hello())
		var e *Error
		if errors.As(err, &e) {
			got += "\n" + strings.TrimSuffix(refusalText(e), "\n")
		}
		return got + "\n"
	})
}

// delta2 is a chunk as it stands in the stream.
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

// TestALineOverTheLimitIsNotAskedForAgain: it would be as long the second time, and no connection broke.
func TestALineOverTheLimitIsNotAskedForAgain(t *testing.T) {
	t.Parallel()
	server := script(step{say: []string{"data: ", strings.Repeat("x", 16<<20)}})
	_, _, err := heard(server.client(), hello())
	if !errors.Is(err, BadStream) || !strings.Contains(err.Error(), "a line of the stream is longer than 16 MiB") || server.times() != 1 {
		t.Errorf("got %v after %d requests, want one sentence about the line after 1", err, server.times())
	}
}

// BenchmarkStream is all of it: transport, library, chunks, events.
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
