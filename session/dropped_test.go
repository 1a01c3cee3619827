package session

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
)

func TestWindowAtWhichAServerDropped(t *testing.T) {
	for _, c := range []struct {
		what     string
		reported int
		expected float64
		believed int
		want     int
	}{
		{"all of it was read", 5900, 6000, 8192, 0},
		{"it counts otherwise", 5000, 6500, 8192, 0},
		{"half of the known window", 16_386, 25_000, 32_768, 32_768},
		{"half of it and a little", 16_500, 25_000, 32_768, 32_768},
		{"the known window", 40_900, 60_000, 40_960, 40_960},
		{"half of a smaller one", 2050, 6000, 40_960, 4096},
		{"half of a smaller one, not known at all", 2050, 6000, 0, 4096},
		{"a smaller one", 4080, 6000, 40_960, 4096},
		{"a smaller one that is half of the known one", 4096, 6000, 8192, 4096},
		{"a little more than that: half of the known one", 4098, 6000, 8192, 8192},
		{"a request that fits the smaller one is not halved by it", 2050, 2600, 40_960, 0},
		{"near no window", 3300, 6000, 40_960, 0},
		{"the largest usual one", 131_000, 180_000, 200_000, 131_072},
	} {
		if got := droppedAt(c.reported, c.expected, c.believed); got != c.want {
			t.Errorf("%s: %d of %.0f tokens with a window of %d: got %d, want %d", c.what, c.reported, c.expected, c.believed, got, c.want)
		}
	}
}

// dropping is a server like Ollama's: it drops the oldest messages until the rest fits its window,
// and counts what is left.
func (s *script) dropping(window int, count formula) step {
	return func(w http.ResponseWriter, _ *http.Request) {
		messages := messagesOf(s.t, s.body(s.requests()))
		for len(messages) > 2 && count(messages) > window {
			messages = append(messages[:1:1], messages[2:]...)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		delta(w, map[string]any{"content": "The first that I see is: " + firstLine(messages)})
		finish(w, "stop", count(messages), 10)
	}
}

func firstLine(messages []sentMessage) string {
	if len(messages) < 2 {
		return "nothing"
	}
	line, _, _ := strings.Cut(messages[1].Content, "\n")
	return line
}

// halving is a server that keeps the end of what is too long for it: half a window.
func halving(window int, count formula) func(s *script) step {
	return func(s *script) step {
		return func(w http.ResponseWriter, _ *http.Request) {
			n := count(messagesOf(s.t, s.body(s.requests())))
			if n > window {
				n = window/2 + 2
			}
			w.Header().Set("Content-Type", "text/event-stream")
			delta(w, map[string]any{"content": "Yes."})
			finish(w, "stop", n, 10)
		}
	}
}

// TestServerThatDropsSilentlyIsFoundOut holds a chat with a server whose window is far smaller than
// believed: the first request that it shortens is said, and the next ones fit.
func TestServerThatDropsSilentlyIsFoundOut(t *testing.T) {
	const window = 4096
	count := larger()
	for name, answer := range map[string]func(s *script) step{
		"it drops the oldest":    func(s *script) step { return s.dropping(window, count) },
		"it keeps half a window": halving(window, count),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.believing(40_960)
			b.deps.Count = llm.NewCounter().Count
			const turns = 60
			for range turns {
				b.steps = append(b.steps, answer(b.script))
			}
			s := b.begin()
			said, over := 0, 0 // turns that said it, requests over the server's window
			for n := range turns {
				events, err := drain(s.Send(t.Context(), fmt.Sprintf("Question %d. %s", n+1, strings.Repeat("What I already said stands. ", 10+n%7))))
				if err != nil {
					t.Fatalf("turn %d failed: %v", n+1, err)
				}
				if count(messagesOf(t, b.body(n+1))) > window {
					over++
				}
				if got := notices(events); len(got) > 0 {
					said++
					if !strings.Contains(got[0], "dropped part of this request") || !strings.Contains(got[0], "4096") {
						t.Errorf("turn %d said %q, want that a part was dropped, and 4096", n+1, got)
					}
				}
			}
			if said != 1 {
				t.Errorf("it was said %d times, want once", said)
			}
			if b.requests() != turns {
				t.Errorf("there were %d requests in %d turns", b.requests(), turns)
			}
			if over == 0 || over > 3 {
				t.Errorf("%d requests were over the server's window, want the first one to three", over)
			}
			kept, err := b.deps.Store.Endpoint(t.Context(), s.client.Endpoint().BaseURL, "m")
			if err != nil || kept.Window != window {
				t.Errorf("learned a window of %d (%v), want %d", kept.Window, err, window)
			}
			if kept.Ratio < 1.2 || kept.Ratio > 1.7 {
				t.Errorf("learned a ratio of %.2f; a count of a part says nothing", kept.Ratio)
			}
		})
	}
}

func TestCountThatDoesNotGrowWithItsRequest(t *testing.T) {
	say := func(n int) []history.Message {
		var all []history.Message
		for i := range n {
			all = append(all, history.Message{Role: history.User, Content: fmt.Sprint("message ", i)})
		}
		return all
	}
	before := counted{say(10), 4000, 4000}
	for _, c := range []struct {
		what     string
		now      counted
		believed int
		want     int
	}{
		{"it grows", counted{say(12), 4200, 4200}, 40_960, 0},
		{"it grows less than expected", counted{say(12), 4200, 4100}, 40_960, 0},
		{"it stays", counted{say(12), 4200, 4010}, 40_960, 4096},
		{"it falls", counted{say(12), 4600, 3700}, 40_960, 4096},
		{"it stays near the known window", counted{say(12), 4200, 4010}, 4050, 4050},
		{"it stays near no usual window", counted{say(12), 4200, 3000}, 3500, 4000},
		{"the request hardly grew", counted{say(11), 4040, 4000}, 40_960, 0},
		{"another request", counted{say(12)[1:], 4200, 4010}, 40_960, 0},
		{"the rest was in a cache", counted{say(12), 4200, 190}, 40_960, 0},
	} {
		if got := before.stuckAt(c.now, 1, c.believed); got != c.want {
			t.Errorf("%s: got %d, want %d", c.what, got, c.want)
		}
	}
	if got := (counted{}).stuckAt(counted{say(12), 4200, 4010}, 1, 0); got != 0 {
		t.Errorf("the first request of all: got %d, want 0", got)
	}
}
