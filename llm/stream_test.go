package llm

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/llm/pricing"
)

// TestStreamOfEveryKindOfServer holds what servers were seen to send and a plain client library
// gets wrong.
func TestStreamOfEveryKindOfServer(t *testing.T) {
	text := func(body ...string) step { return step{say: body} }
	plain := func(kind, body string) step {
		return step{header: map[string]string{"Content-Type": kind}, say: []string{body}}
	}
	tests := []struct {
		name   string
		server step
		want   string // as heard writes it down
		err    string // a part of the sentence, "" for none
		is     error
	}{
		{"error after a comment", text(": OPENROUTER PROCESSING\n\n", "data: {\"error\":{\"message\":\"Provider is down\",\"code\":502}}\n\n"), "", "Provider is down", Server},
		{"error after an event line", text("event: error\ndata: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n"), "", "Overloaded", Server},
		{
			"error beside id and choices", chunks(delta("Hal"), `{"id":"1","error":{"code":502,"message":"Upstream went away"},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`),
			"Hal", "Upstream went away", Server,
		},
		{"finish_reason error alone", chunks(delta("Hal"), `{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`), "Hal", "openai failed", Server},
		{"error field of an old llama.cpp", text(delta2("Hal"), "error: {\"code\":500,\"message\":\"slot unavailable\"}\n\n"), "Hal", "slot unavailable", Server},
		{"bare error line of Ollama", text(delta2("Hal"), "{\"error\":\"llama runner process has terminated\"}\n"), "Hal", "llama runner process has terminated", Server},
		{"bare error line first", text("{\"error\":\"llama runner process has terminated\"}\n", "data: [DONE]\n\n"), "", "llama runner process has terminated", Server},
		{"error without a newline at the end", text("data: {\"error\":{\"message\":\"too late\"}}"), "", "too late", Server},
		{"a null error is none", chunks(`{"error":null,"choices":[{"delta":{"content":"Hello"}}]}`, "[DONE]"), "Hello| done", "", nil},

		{"end without DONE and finish_reason", chunks(delta("Hello")), "Hello| no-done", "", nil},
		{"finish_reason without DONE", chunks(delta("Hello"), finishStop), "Hello|stop done", "", nil},
		{"unknown finish_reason", chunks(delta("Hello"), `{"choices":[{"delta":{},"finish_reason":"eos_token"}]}`, "[DONE]"), "Hello|eos_token done", "", nil},
		{"connection cut", step{say: chunks(delta("Hello")).say, end: "cut"}, "Hello| cut", "the connection to openai was lost", Broken},
		{"connection cut after finish_reason", step{say: chunks(delta("Hello"), finishStop).say, end: "cut"}, "Hello|stop done", "", nil},
		{"connection cut inside a line", step{say: []string{delta2("Hello"), `data: {"choices":[{"del`}, end: "cut"}, "Hello| cut", "the connection to openai was lost", Broken},
		{"end inside a line", step{say: []string{delta2("Hello"), `data: {"choices":[{"del`}}, "Hello| cut", "the connection to openai was lost", Broken},
		{"last data line without newline", text(delta2("Hel"), "data: "+delta("lo")), "Hello| no-done", "", nil},
		{"151 keep-alives in a row", text(strings.Repeat(": keep-alive\n\n", 151), delta2("Hello"), "data: [DONE]\n\n"), "Hello| done", "", nil},
		{"one bad chunk", chunks(delta("Hello"), `{"choices":[{]}`, "[DONE]"), "Hello", `a part of the answer is not JSON: {"choices":[{]}`, BadStream},
		{"no blank line between events", text("data: " + delta("Hel") + "\ndata: " + delta("lo") + "\ndata: [DONE]\n"), "Hello| done", "", nil},
		{"ping", chunks("ping", delta("Hel"), "ping", delta("lo"), "[DONE]"), "Hello| done", "", nil},
		{"ping alone", chunks("ping"), "", "openai sent a response that is not a chat completion (200): ping", BadStream},
		{"nothing but blank lines", text(strings.Repeat("\n", 5000)), "", "the model answered nothing", Empty},
		{"CRLF", text("data: " + delta("Hello") + "\r\n\r\ndata: [DONE]\r\n\r\n"), "Hello| done", "", nil},
		{"byte order mark", text("\ufeffdata: " + delta("Hello") + "\n\ndata: [DONE]\n\n"), "Hello| done", "", nil},
		{"stream sent as text/plain", step{header: map[string]string{"Content-Type": "text/plain"}, say: chunks(delta("Hello"), "[DONE]").say}, "Hello| done", "", nil},

		{
			"200 with a JSON answer",
			plain("application/json", "{\n \"object\":\"chat.completion\",\n \"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hello\"},\"finish_reason\":\"stop\"}],\n \"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n"),
			"Hello<7 -1 2 -1>|stop done", "", nil,
		},
		{"200 with a JSON error", plain("application/json", `{"error":{"message":"no such deployment","code":"x"}}`), "", "no such deployment", Server},
		{"200 with other JSON", plain("application/json", `{"status":"ok"}`), "", "openai sent a response that is not a chat completion (200)", BadStream},
		{
			"200 with a web page", plain("text/html", "<!doctype html><html><head><title>Sign in &amp; go</title></head></html>"),
			"", `https://api.openai.com/v1 answered with a web page ("Sign in & go") instead of an API (200); check the base URL`, BadStream,
		},
		{"200 with nothing", text(), "", "the model answered nothing", Empty},
		{"200 with comments only", text(": one\n\n: two\n\n"), "", "the model answered nothing", Empty},
		{"DONE and nothing else", chunks("[DONE]"), "| done", "", nil},

		{"reasoning_content", chunks(`{"choices":[{"delta":{"reasoning_content":"Hm."}}]}`, delta("Yes"), "[DONE]"), "(Hm.)Yes| done", "", nil},
		{"reasoning", chunks(`{"choices":[{"delta":{"reasoning":"Hm.","content":""}}]}`, delta("Yes"), "[DONE]"), "(Hm.)Yes| done", "", nil},
		{"think text", chunks(delta("<thi"), delta("nk>\nHm"), delta(".</th"), delta("ink>\n\nYes"), "[DONE]"), "(Hm)(.)Yes| done", "", nil},
		{"refusal", chunks(`{"choices":[{"delta":{"refusal":"I cannot."}}]}`, "[DONE]"), "I cannot.| done", "", nil},
		{
			"arguments as an object", chunks(`{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x":1}}}]}}]}`, "[DONE]"),
			`[0 a f ][0   {"x":1}]| done`, "", nil,
		},
		{
			"usage with no choices", chunks(delta("Hello"), finishStop, `{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":16},"completion_tokens_details":{"reasoning_tokens":1}}}`, "[DONE]"),
			"Hello<20 16 3 1>|stop done", "", nil,
		},
		{"prompt count 0 is not said", chunks(delta("Hello"), `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":3}}`, "[DONE]"), "Hello<-1 -1 3 -1>| done", "", nil},
		{"usage of DeepSeek", chunks(delta("Hello"), `{"choices":[],"usage":{"prompt_tokens":20,"completion_tokens":3,"prompt_cache_hit_tokens":8}}`, "[DONE]"), "Hello<20 8 3 -1>| done", "", nil},
		{"usage of Anthropic", chunks(delta("Hello"), `{"choices":[],"usage":{"input_tokens":20,"output_tokens":3,"cache_read_input_tokens":800,"cache_creation_input_tokens":100}}`, "[DONE]"), "Hello<920 800 3 -1>| done", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, _, err := heard(script(test.server).client(tries(1)), hello())
			wantText(t, "events", got, test.want)
			switch {
			case test.err == "" && err != nil:
				t.Errorf("error: got %v, want none", err)
			case test.err != "" && err == nil:
				t.Errorf("error: got none, want %q", test.err)
			case test.err != "":
				if !strings.Contains(err.Error(), test.err) {
					t.Errorf("error: got %q, want a part %q", err, test.err)
				}
				if !errors.Is(err, test.is) {
					t.Errorf("error: got kind of %q, want %v", err, test.is)
				}
			}
		})
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

// TestStreamWithOneByteReads breaks every multi-byte boundary there is.
func TestStreamWithOneByteReads(t *testing.T) {
	whole := "\ufeff: hi\r\n\r\nevent: x\r\ndata: " + delta("Grüße ") + "\r\n\r\n" + delta2("世界") + "data: [DONE]\n"
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

// What came together is one piece, in the order of text and reasoning, and it is given before anything is waited for.
func TestWhatCameTogetherIsOnePiece(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, packet := range []string{
			delta2("one "), delta2("two ") + delta2("three ") + delta2(""),
			`data: {"choices":[{"delta":{"reasoning":"think"}}]}` + "\n\n" + `data: {"choices":[{"delta":{"reasoning":"ing"}}]}` + "\n\n" + delta2("four"),
		} {
			io.WriteString(w, packet)
			w.(http.Flusher).Flush()
			<-next
		}
		io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(server.Close)
	var got []string
	for event, err := range NewClient(Endpoint{Name: "here", BaseURL: server.URL}).Stream(t.Context(), hello()) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case TextDelta:
			got = append(got, e.Text)
			next <- struct{}{}
		case ReasoningDelta:
			got = append(got, "("+e.Text+")")
		}
	}
	if got := strings.Join(got, "|"); got != "one |two three |(thinking)|four" {
		t.Errorf("the pieces are %q", got)
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
