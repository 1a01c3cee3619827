package ui

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/sessiontest"
)

// gate is a server whose answers begin with a word and end when the test lets them.
type gate struct {
	asked chan string   // the newest message of each request that came
	open  chan struct{} // each receipt ends one answer
}

// gated has the server wait for the test.
func (l *live) gated() *gate {
	g := &gate{asked: make(chan string, 16), open: make(chan struct{}, 16)}
	l.says(map[string]http.HandlerFunc{"/v1/chat/completions": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		at := strings.LastIndex(text, `"content":"`)
		text, _, _ = strings.Cut(text[at+len(`"content":"`):], `"`)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Begun. "+
			"\"}}]}\n\n")
		w.(http.Flusher).Flush()
		g.asked <- text
		select {
		case <-g.open:
			fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Ended."},"finish_reason":"stop"}]}`,
				"\n\ndata: [DONE]\n\n")
		case <-r.Context().Done():
		}
	}})
	return g
}

// wants waits until the server is asked a message.
func (g *gate) wants(l *live, text string) {
	l.t.Helper()
	l.until("the server to be asked", func() bool { return len(g.asked) > 0 })
	if got := <-g.asked; got != text {
		l.t.Fatalf("the server is asked %q, want %q", got, text)
	}
}

// enters types a message and sends it, or queues it.
func (l *live) enters(text string) {
	l.types(text)
	l.press("enter")
}

// ofUser are the messages of the user on the screen.
func (l *live) ofUser() []string {
	var out []string
	for _, m := range sessiontest.Messages(l.chat.Messages) {
		if m.Role == history.User {
			out = append(out, m.Content)
		}
	}
	return out
}

func TestQueuedMessagesAreSentInTheirOrder(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	g := l.gated()
	l.enters("one")
	g.wants(l, "one")
	l.enters("two")
	l.enters("/alone three")
	l.enters("four")
	l.shows("queued  (alone) three")
	l.shows("queued  four")
	for _, next := range []string{"two", "three", "four"} {
		g.open <- struct{}{}
		g.wants(l, next)
	}
	g.open <- struct{}{}
	l.until("the last answer", func() bool { return !l.turn.Busy })
	if got := l.ofUser(); !slices.Equal(got, []string{"one", "two", "three", "four"}) {
		t.Errorf("the conversation has %q", got)
	}
	if m := l.chat.At(4); !m.Alone {
		t.Errorf("%q was sent with the conversation before it", m.Content)
	}
	l.lacks("queued")
}

func TestAStopKeepsTheQueueAndSaysSo(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	g := l.gated()
	l.enters("one")
	g.wants(l, "one")
	l.enters("two")
	l.enters("three")
	l.press("esc")
	l.shows("Stopped; what arrived is kept. 2 queued messages wait.")
	l.press("up")
	if got := l.composer.Text(); got != "three" || l.composer.Waiting.Len() != 1 {
		t.Fatalf("up gives the draft %q and leaves %d queued", got, l.composer.Waiting.Len())
	}
	l.press("ctrl+c", "enter")
	g.wants(l, "two")
	g.open <- struct{}{}
	l.until("the answer", func() bool { return !l.turn.Busy })
	if got := l.ofUser(); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("the conversation has %q", got)
	}
}

func TestAQueueSurvivesTheProgram(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	g := l.gated()
	l.enters("one")
	g.wants(l, "one")
	long := strings.Repeat("a long line\n", 40) + "end"
	l.composer.Paste(long)
	l.press("enter")
	l.until("the queue on disk", func() bool {
		queue, err := l.Session.Store().Queue(t.Context(), l.Session.Info().ID)
		return err == nil && len(queue) == 1
	})
	l.press("esc")
	l.until("the stop", func() bool { return !l.turn.Busy })
	l.reopen() // a new session from the file, as the next start has it
	l.shows("The queue is paused.")
	l.press("up")
	if got := l.composer.Shown(); l.composer.Text() != long || !strings.HasPrefix(got, "[paste") {
		t.Errorf("up gives the draft %q of %d bytes, want the paste of %d folded", got, len(l.composer.Text()),
			len(long))
	}
}

// A queued message that does not fit when its turn comes stays queued, and /retry is no way out.
func TestAQueuedMessageThatDoesNotFitStaysQueued(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	g := l.gated()
	l.enters("one")
	g.wants(l, "one")
	l.composer.Set(strings.Repeat("word ", 40_000))
	l.press("enter")
	g.open <- struct{}{}
	l.shows("The message stays queued; ")
	l.lacks("/retry")
	if n := l.chat.Messages.Len(); n != 2 || !l.composer.Waiting.Held() {
		t.Fatalf("%d messages are in the conversation, and the queue is held: %v", n, l.composer.Waiting.Held())
	}
	l.picks("queue")
	l.press("enter")
	if l.composer.Empty() || l.composer.Waiting.Len() != 0 {
		t.Error("the list did not give the message back")
	}
}
