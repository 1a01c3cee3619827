package cli

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// gatedServer begins each answer with the message that it answers, and ends it when the test says so.
func gatedServer(t *testing.T, env []string) (end chan<- struct{}, _ []string) {
	t.Helper()
	gate := make(chan struct{}, 8)
	models := newScriptedServer("hang\n")
	_, env = serve(t, env, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
			models.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		text := string(body)
		text, _, _ = strings.Cut(text[strings.LastIndex(text, `"content":"`)+len(`"content":"`):], `"`)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"About %s. \"}}]}\n\n", text)
		w.(http.Flusher).Flush()
		select {
		case <-gate:
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"That was %s.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", text)
		case <-r.Context().Done():
		}
	}))
	return gate, env
}

// enters types a text, waits until it is on the screen, and presses enter.
func (s *terminal) enters(text string) {
	s.t.Helper()
	s.send(text)
	s.want(text)
	s.send(enterKey)
}

func TestAQueueOutlivesAStopAndAKill(t *testing.T) {
	t.Parallel()
	end, env := gatedServer(t, home(t))
	chat := startIn(t, env, 110, 32, "-m", "openai/small")
	chat.want("small", "enter send")
	chat.enters("apples")
	chat.want("About apples.")
	chat.enters("pears")
	chat.want("queued  pears")
	chat.enters("plums")
	chat.want("queued  plums")
	chat.send(escKey)
	chat.want("2 queued messages wait", "waits   pears", "waits   plums")
	if err := chat.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-chat.over

	again := startIn(t, env, 110, 32, "-c")
	again.want("waits   pears", "waits   plums")
	again.send(enterKey)
	again.want("About pears.", "queued  plums")
	end <- struct{}{}
	again.want("That was pears.", "About plums.")
	end <- struct{}{}
	screen := again.waitFor("the end of the last answer", func(screen string) bool {
		return strings.Contains(screen, "That was plums.") && !strings.Contains(screen, "esc stops")
	})
	if strings.Contains(screen, "queued") || strings.Contains(screen, "waits") {
		t.Errorf("something is left in the queue:\n%s", screen)
	}
	again.send(ctrlD)
	if code := again.end(); code != 0 {
		t.Errorf("winnow ended with %d", code)
	}
}

func TestAnAnswerArrivesBehindTheScreen(t *testing.T) {
	t.Parallel()
	end, env := gatedServer(t, home(t))
	chat := startIn(t, env, 110, 32, "-m", "openai/small")
	chat.want("small", "enter send")
	chat.send("\x1b[O") // the terminal lost the focus
	chat.enters("apples")
	chat.want("About apples.")
	chat.send("\x0e") // ctrl+n
	chat.want("new chat", "enter send")
	chat.send("\x13") // ctrl+s
	chat.want("answering…")
	chat.send(escKey)
	chat.waitFor("the list to close", func(screen string) bool { return !strings.Contains(screen, "answering…") })
	chat.send(ctrlD)
	chat.want("1 answer is still arriving in the background.")
	end <- struct{}{}
	chat.want("“apples” has a new answer")
	chat.send("\x13")
	chat.want("apples   new answer")
	chat.send(enterKey)
	screen := chat.want("That was apples.", "ctrl+s sessions") // the preview of the list shows the answer too
	if strings.Contains(screen, "[O") {
		t.Errorf("the report of the focus was typed:\n%s", screen)
	}
	chat.send(ctrlD)
	if code := chat.end(); code != 0 {
		t.Errorf("winnow ended with %d", code)
	}
	if !strings.Contains(string(chat.raw), "\x1b[?1004h") {
		t.Error("the terminal was not asked to report its focus")
	}
}
