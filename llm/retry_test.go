package llm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// What may pass by itself is told by refusals.txtar for each refusal.
func TestRetryOnlyWhatMayPassAndOnlyBeforeTheFirstToken(t *testing.T) {
	refused := step{refuse: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	fail := func(status int) step { return step{status: status, say: []string{`{"error":{"message":"x"}}`}} }
	local := func(e *Endpoint) { e.BaseURL = "http://localhost:8080/v1" }
	tests := []struct {
		name   string
		change func(*Endpoint)
		server step
		tries  int
	}{
		{"500", nil, fail(500), 3},
		{"529", nil, fail(529), 3},
		{"connection refused", nil, refused, 3},
		{"connection refused on this machine", local, refused, 2},
		{"connection reset", nil, step{refuse: os.NewSyscallError("read", syscall.ECONNRESET)}, 3},
		{"cut before the first token", nil, step{say: []string{": hi\n\n"}, end: "cut"}, 3},
		{"error in the stream before the first token", nil, chunks(`{"error":{"message":"x","code":502}}`), 3},
		{"400", nil, fail(400), 1},
		{"web page", nil, step{say: []string{"<html></html>"}}, 1},
		{"after the first token", nil, step{say: []string{delta2("Hal")}, end: "cut"}, 1},
		{"error after the first token", nil, chunks(delta("Hal"), `{"error":{"message":"x","code":502}}`), 1},
		{"told to try once", tries(1), fail(503), 1},
		{"told to try twice", tries(2), fail(503), 2},
		{"asked to wait too long", nil, step{status: 429, header: map[string]string{"Retry-After": "61"}}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := script(test.server)
				if test.change == nil {
					test.change = func(*Endpoint) {}
				}
				got, _, err := heard(server.client(test.change), hello())
				if err == nil || server.times() != test.tries {
					t.Errorf(
						"got %d tries, %s, error %v; want %d tries and an error", server.times(), got, err,
						test.tries,
					)
				}
			})
		})
	}
}

// TestRetryHonoursTheWait looks at the clock of the test's own time.
func TestRetryHonoursTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := step{
			status: 429, header: map[string]string{"Retry-After-Ms": "7500"}, say: []string{`{"error":"busy"}`},
		}
		server := script(busy, busy, chunks(delta("Hello"), "[DONE]"))
		start := time.Now()
		var waits []Waiting
		for event, err := range server.client().Stream(t.Context(), hello()) {
			if err != nil {
				t.Fatalf("stream: %v", err)
			}
			if w, ok := event.(Waiting); ok {
				waits = append(waits, w)
			}
		}
		if len(waits) != 2 || waits[0].Attempt != 2 || waits[1].Attempt != 3 || waits[1].Of != 3 ||
			!errors.Is(waits[0].Err, RateLimit) {
			t.Fatalf("got %+v, want two waits for tries 2 and 3 of 3 with the reason", waits)
		}
		if waits[0].After != 7500*time.Millisecond || waits[1].After != 7500*time.Millisecond {
			t.Errorf("got waits %v and %v, want the 7.5 s the server asked for", waits[0].After, waits[1].After)
		}
		if took := time.Since(start); took != 15*time.Second {
			t.Errorf("the answer came after %v, want 15 s", took)
		}
	})
}

func TestCancelDuringAWaitEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := script(step{status: 503, header: map[string]string{"Retry-After": "30"}})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		start := time.Now()
		var last error
		for event, err := range server.client().Stream(ctx, hello()) {
			if _, ok := event.(Waiting); ok {
				time.AfterFunc(time.Second, cancel)
			}
			last = err
		}
		if !errors.Is(last, context.Canceled) || time.Since(start) != time.Second || server.times() != 1 {
			t.Errorf(
				"got %v after %v and %d tries, want context.Canceled after 1s and 1", last, time.Since(start),
				server.times(),
			)
		}
	})
}

func TestSilenceEndsAStream(t *testing.T) {
	quiet := func(e *Endpoint) { e.Idle, e.Begin = 0, 0 }
	tests := []struct {
		name   string
		change func(*Endpoint)
		server step
		want   string
		after  time.Duration
		err    string
	}{
		{
			"after words", quiet,
			step{say: []string{delta2("Hello")}, end: "hang"},
			"Hello| cut", 90 * time.Second,
			"openai sent nothing for 1m30s",
		},
		{
			"configured", func(e *Endpoint) { e.Idle = 5 * time.Second },
			step{say: []string{delta2("Hello")}, end: "hang"},
			"Hello| cut", 5 * time.Second,
			"openai sent nothing for 5s",
		},
		{"before anything", quiet, step{end: "hang"}, "", 2 * time.Minute, "openai sent nothing for 2m0s"},
		{
			"before anything, on this machine", func(e *Endpoint) { e.BaseURL = "http://127.0.0.1:8080/v1" },
			step{end: "hang"},
			"", 10 * time.Minute, "openai sent nothing for 10m0s",
		},
		{
			"before anything, on a private network", func(e *Endpoint) { e.BaseURL = "http://192.168.1.9:8080/v1" },
			step{end: "hang"},
			"", 10 * time.Minute, "openai sent nothing for 10m0s",
		},
		{
			"before anything, configured", func(e *Endpoint) { e.Begin = 7 * time.Second },
			step{end: "hang"},
			"",
			7 * time.Second, "openai sent nothing for 7s",
		},
		{
			"comments are life", quiet,
			step{
				say:   []string{delta2("Hel"), ": a\n\n", ": b\n\n", ": c\n\n", delta2("lo"), "data: [DONE]\n\n"},
				pause: 80 * time.Second,
			},
			"Hello| done", 400 * time.Second, "",
		},
		{
			"a slow begin", quiet,
			step{say: []string{": hi\n\n", delta2("Hello"), "data: [DONE]\n\n"}, pause: 80 * time.Second},
			"Hello| done", 160 * time.Second, "",
		},
		{
			"within a refusal", tries(1),
			step{status: 401, say: []string{`{"error":`}, end: "hang"},
			"", overIdle,
			"openai rejected the API key from OPENAI_API_KEY (401): {\"error\":",
		},
		{
			"before the words of a refusal", tries(1),
			step{status: 500, end: "hang"},
			"", overIdle,
			"openai failed (500)",
		},
		{
			"within a web page", quiet,
			step{say: []string{"<html>\n<title>Sign in</title>\n"}, end: "hang"},
			"", 0,
			`https://api.openai.com/v1 answered with a web page instead of an API (200): Sign in. Check the ` +
				`base URL`,
		},
		{
			"after finish_reason", quiet,
			step{say: []string{delta2("Hello"), "data: " + finishStop + "\n\n"}, end: "hang"},
			"Hello|stop done",
			overIdle, "",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := script(test.server)
				start := time.Now()
				got, _, err := heard(server.client(test.change), hello())
				wantText(t, "events", got, test.want)
				if took := time.Since(start); took != test.after {
					t.Errorf("took %v, want %v", took, test.after)
				}
				if message := fmt.Sprint(err); err != nil && message != test.err || err == nil && test.err != "" {
					t.Errorf("error: got %v, want %q", err, test.err)
				}
				if server.times() != 1 {
					t.Errorf("got %d tries, want 1", server.times())
				}
			})
		})
	}
}

// A server that never ends costs neither memory nor disk without end.
func TestEndlessAnswerIsCutOff(t *testing.T) {
	piece := delta2(strings.Repeat("x", 1<<20))
	server := script(step{say: slices.Repeat([]string{piece}, 40)})
	text := 0
	var end End
	var last error
	for event, err := range server.client().Stream(t.Context(), hello()) {
		switch e := event.(type) {
		case TextDelta:
			text += len(e.Text)
		case Finished:
			end = e.End
		}
		last = err
	}
	if text <= LargestAnswer || text > LargestAnswer+2<<20 || end != CutOff || !errors.Is(last, Endless) ||
		!strings.Contains(fmt.Sprint(last), "exceeded 16 MiB") {
		t.Errorf("got %d bytes, end %v, %v; want little more than %d, cut off", text, end, last, LargestAnswer)
	}
	if server.times() != 1 {
		t.Errorf("it was asked %d times, want once", server.times())
	}
}
