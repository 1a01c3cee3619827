package llm

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"winnow/llm/pricing"
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

// TestStreamsOfNothing: an answer in which nothing comes is an error of its own.
func TestStreamsOfNothing(t *testing.T) {
	for _, body := range []string{"", strings.Repeat("\n", 5000), ": one\n\n: two\n\n"} {
		_, _, err := heard(script(step{say: []string{body}}).client(tries(1)), hello())
		if !errors.Is(err, Empty) {
			t.Errorf("%.20q: %v, want that the model answered nothing", body, err)
		}
	}
}

func TestReplyStartsWithUnknownUsage(t *testing.T) {
	var r Reply
	if r.Text+r.Reasoning != "" || len(r.Calls) > 0 {
		t.Error("a new reply is not empty")
	}
	r.Add(TextDelta{"x"})
	if r.Usage != pricing.NoUsage() || r.Text+r.Reasoning == "" && len(r.Calls) == 0 {
		t.Errorf("got %+v; want usage -1 everywhere, and an answer", r)
	}
}

// delta2 is a chunk as it stands in the stream.
func delta2(text string) string { return "data: " + delta(text) + "\n\n" }

// What arrives together is one event: a reader draws it once.
func TestChunksThatArriveTogetherAreOneEvent(t *testing.T) {
	t.Parallel()
	server := script(step{say: []string{delta2("On") + delta2("ce ") + delta2("upon"), delta2(" a time"), "data: [DONE]\n\n"}})
	var pieces []string
	for event, err := range server.client().Stream(t.Context(), hello()) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := event.(TextDelta); ok {
			pieces = append(pieces, d.Text)
		}
	}
	if want := []string{"Once upon", " a time"}; !slices.Equal(pieces, want) {
		t.Errorf("got the pieces %q, want %q", pieces, want)
	}
}

// TestStreamWithOneByteReads breaks every multi-byte boundary there is.
func TestStreamWithOneByteReads(t *testing.T) {
	whole := "\ufeff" + strings.Repeat(": hi\n\n", 151) + ": hi\r\n\r\nevent: x\r\ndata: " + delta("Grüße ") + "\r\n\r\n" + delta2("世界") + "data: [DONE]\n"
	var pieces []string
	for _, b := range []byte(whole) {
		pieces = append(pieces, string([]byte{b}))
	}
	got, _, err := heard(script(step{say: pieces}).client(), hello())
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	wantText(t, "events", got, "Grüße 世界| done")
}

func TestStreamKeepsAnEightMegabyteLine(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 8<<20/16)
	got, _, err := heard(script(chunks(delta(long), "[DONE]")).client(), hello())
	if err != nil {
		t.Fatalf("stream: %v", err)
	}
	if want := long + "| done"; got != want {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
}

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

// TestEventsWithoutBlankLinesArriveAtOnce is a server that leaves out the blank lines and then waits.
func TestEventsWithoutBlankLinesArriveAtOnce(t *testing.T) {
	t.Parallel()
	server := script(step{say: []string{"data: " + delta("Hel") + "\n", "data: " + delta("lo") + "\n"}, end: "hang"})
	got := ""
	for event, err := range server.client().Stream(t.Context(), hello()) {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := event.(TextDelta); ok {
			got += d.Text
		}
		if got == "Hello" {
			return
		}
	}
	t.Errorf("got %q and then the end, want Hello while the stream is open", got)
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
