package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"winnow/llm/tool"
	"winnow/session/store"
	"winnow/ui/conversation"
)

// stored is the text of the messages of a stored session.
func (l *live) storedTexts(id string) []string {
	l.t.Helper()
	row, err := l.With.Store.Session(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	branch, err := l.With.Store.Branch(l.t.Context(), row.Leaf, 0)
	if err != nil {
		l.t.Fatal(err)
	}
	var texts []string
	for _, m := range branch {
		texts = append(texts, strings.TrimSpace(m.Content))
	}
	return texts
}

// leaves opens a new session, and returns the id of the one that was left.
func (l *live) leaves() string {
	l.t.Helper()
	l.until("the message on disk", func() bool { return l.composer.Sending() == nil })
	id := l.Info.ID
	l.press("ctrl+n")
	l.until("a new chat", func() bool { return l.Info.ID == "" })
	return id
}

// A question of a turn behind the screen is shown where it can be answered, and until then nothing runs.
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
	deps := l.With
	deps.Tools = []*tool.Toolbox{box}
	l.With = deps
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
	l.shows("“one” waits for your answer about a tool call; ctrl+s opens it.")
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
	for i := range conversation.MostBehind {
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
	l.shows("4 answers are still arriving in the background. The same again leaves all the same.")
	if err := l.background.Close(t.Context()); err != nil {
		t.Error(err)
	}
	list, err := l.With.Store.Sessions(t.Context(), store.Filter{})
	if err != nil || len(list) != conversation.MostBehind+1 {
		t.Fatalf("%d sessions are stored, %v", len(list), err)
	}
	for _, s := range list {
		if got := l.storedTexts(s.ID); len(got) != 2 || got[1] != "Begun." {
			t.Errorf("the session %q has %q, want what had arrived", s.Title, got)
		}
	}
}
