package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"winnow/llm/tool"
	"winnow/session"
	"winnow/session/store"
	"winnow/ui/conversation"
)

// storedTexts returns the texts of the messages of a stored session.
func (l *live) storedTexts(id string) []string {
	l.t.Helper()
	row, err := l.Deps.Store.Session(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	branch, err := l.Deps.Store.Branch(l.t.Context(), row.Leaf, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	var texts []string
	for _, m := range branch {
		texts = append(texts, strings.TrimSpace(m.Content))
	}
	return texts
}

// leaves opens a new session and returns the id of the previous one.
func (l *live) leaves() string {
	l.t.Helper()
	l.until("the message on disk", func() bool { return l.composer.Sending == nil })
	id := l.Info.ID
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Info.ID == "" })
	return id
}

// A question of a turn in the background waits until the session is opened, and until then no tool runs.
func TestAQuestionBehindTheScreenWaits(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	ran := make(chan struct{}, 1)
	box := new(tool.Toolbox)
	box.Register(tool.Tool{Name: "sing", Parameters: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, json.RawMessage) (string, error) {
			ran <- struct{}{}
			return "la", nil
		})
	l.Deps.Tools = []*tool.Toolbox{box}
	l.press("ctrl+n")
	l.until("a chat with the tool", func() bool {
		_, ok := l.Session.Model().Tools().Tool("sing")
		return ok
	})
	let := make(chan struct{}, 2)
	l.says(map[string]http.HandlerFunc{"/v1/chat/completions": func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		<-let
		w.Header().Set("Content-Type", "text/event-stream")
		if !strings.Contains(string(body), `"role":"tool"`) {
			fmt.Fprint(w,
				`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","function":`+
					`{"name":"sing","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`+"\n\ndata: [DONE]\n\n")
			return
		}
		fmt.Fprint(w,
			`data: {"choices":[{"index":0,"delta":{"content":"Sung."},"finish_reason":"stop"}]}`+
				"\n\ndata: [DONE]\n\n")
	}})
	l.enters("one")
	l.leaves()
	let <- struct{}{}
	l.shows("“one” waits for your answer; ctrl+s opens it.")
	l.press("ctrl+s")
	l.shows("waits for you")
	l.press("esc")
	if len(ran) != 0 {
		t.Fatal("the tool ran unasked")
	}
	l.comesBack("one")
	l.shows("Run it once")
	if l.focus != questionPane {
		l.press("tab")
	}
	l.press("y")
	let <- struct{}{}
	l.shows("Sung.")
	if len(ran) != 1 {
		t.Error("the tool did not run")
	}
}

func TestQuittingSaysHowManyAnswersItStops(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	g := l.gated()
	for i := range conversation.MaxBackground {
		text := string(rune('a' + i))
		l.enters(text)
		g.wants(l, text)
		l.shows("Begun.")
		l.leaves()
	}
	l.enters("one more")
	g.wants(l, "one more")
	l.shows("Begun.")
	l.press("ctrl+n")
	l.shows("4 answers are already running in the background, which is the limit.")
	l.press("esc")
	l.until("the stop", func() bool { return !l.Turn.Busy })
	l.press("ctrl+d")
	l.shows("4 answers are still arriving in the background. Repeat to leave anyway.")
	if err := l.background.Close(t.Context()); err != nil {
		t.Error(err)
	}
	list, err := l.Deps.Store.Sessions(t.Context(), store.SessionFilter{})
	if err != nil || len(list) != conversation.MaxBackground+1 {
		t.Fatalf("%d sessions are stored, %v", len(list), err)
	}
	for _, s := range list {
		if got := l.storedTexts(s.ID); len(got) != 2 || got[1] != "Begun." {
			t.Errorf("the session %q has %q, want what had arrived", s.Title, got)
		}
	}
}

// gate is a server whose answers begin at once, and end when the test says so.
type gate struct {
	asked chan string   // the last message of each request
	open  chan struct{} // each value ends one answer
}

// gated makes the server a gate.
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

// wants waits for a request with a message.
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

// The screen is drawn while a slow plan is being made.
func TestTheViewDoesNotWaitForAPlan(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	planning, goOn := make(chan bool), make(chan bool)
	l.Deps.Count = func(text string) int {
		if text == "a slow draft" {
			planning <- true
			<-goOn
		}
		return len(text)
	}
	s, err := session.New(l.Deps, session.StartOptions{Model: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	l.run(l.opened(s, conversation.Opening{}))
	l.say("A question.")
	l.press("tab", "tab")
	planned := make(chan bool)
	go func() {
		_, _ = s.Preview(session.Draft{Text: "a slow draft"})
		close(planned)
	}()
	<-planning
	drawn := make(chan bool)
	go func() {
		l.View()
		close(drawn)
	}()
	select {
	case <-drawn:
	case <-time.After(time.Minute):
		t.Error("the screen waits for the plan")
	}
	close(goOn)
	<-planned
	<-drawn
}
