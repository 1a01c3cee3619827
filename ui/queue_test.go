package ui

import (
	"fmt"
	"io"
	"net/http"
	"strings"
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
