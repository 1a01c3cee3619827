package cli

import (
	"bytes"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// recordingServer answers each request with a short sentence and keeps the requests' bodies.
type recordingServer struct {
	mu     sync.Mutex
	bodies []string
}

func (s *recordingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.bodies = append(s.bodies, string(body))
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w,
		`data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Understood."},"finish_reason":"stop"}]}`+
			"\n\ndata: [DONE]\n\n")
}

// Text that arrives in the same burst as enter is the next draft.
func TestTextTypedRightAfterEnterIsTheNextDraft(t *testing.T) {
	t.Parallel()
	server := &recordingServer{}
	_, env := serve(t, home(t), server)
	chat := startIn(t, env, 100, 30, "-m", "openai/small")
	chat.Want("small", "enter send")
	chat.Send("first\rSECOND")
	chat.WaitFor("the end of the first turn", func(screen string) bool {
		return answered(screen) && strings.Contains(screen, "SECOND") && !strings.Contains(screen, "esc stops")
	})
	chat.Send("\r")
	chat.WaitFor("two receipts", func(screen string) bool { return receipts(screen) == 2 })
	server.mu.Lock()
	defer server.mu.Unlock()
	if len(server.bodies) != 2 || !strings.Contains(server.bodies[0], `"first"`) || strings.Contains(server.bodies[0],
		"SECOND") || !strings.Contains(server.bodies[1], `"SECOND"`) {
		t.Errorf("the server was asked %d times:\n%s\nwant first, then SECOND", len(server.bodies),
			strings.Join(server.bodies, "\n"))
	}
}

// silentServer takes requests on any route and never answers.
func silentServer(t *testing.T, env []string) []string {
	t.Helper()
	over := make(chan struct{})
	_, env = serve(t, env, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(over) })
	return env
}

func TestMessageIsStoredWhileAServerHangsOnEveryRoute(t *testing.T) {
	t.Parallel()
	t.Run("chat", func(t *testing.T) {
		t.Parallel()
		env := silentServer(t, home(t))
		chat := startIn(t, env, 100, 30, "-m", "openai/unheard-of")
		chat.Want("unheard-of", "enter send")
		chat.Send("remember this question\r")
		waitUntilStored(t, env, "remember this question")
		chat.Kill()
		again := startIn(t, env, 100, 30, "-m", "openai/unheard-of", "-c")
		again.Want("remember this question")
		again.Send(ctrlD)
		again.End()
	})
	t.Run("run", func(t *testing.T) {
		t.Parallel()
		env := silentServer(t, home(t))
		run := exec.Command(winnowPath(t), "run", "-m", "openai/unheard-of", "remember this question")
		run.Env = env
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		waitUntilStored(t, env, "remember this question")
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = run.Wait()
	})
}

func TestRunSavesNothingOfAMessageThatDoesNotFit(t *testing.T) {
	t.Parallel()
	_, env := serve(t, home(t),
		newScriptedServer("200\n"+`data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}`+
			"\ndata: [DONE]"))
	run := attempt(t, command{
		Args: []string{"run", "-m", "openai/small"}, Env: env, Stdin: bytes.Repeat([]byte("too many words "), 20_000),
	})
	if said := string(run.Stderr); run.Code != Failed || !strings.Contains(said, "nothing was sent or saved: ") ||
		!strings.Contains(said, "tokens too many: your message") {
		t.Errorf("run ended with %d and said %s", run.Code, said)
	}
	if list := output(t, env, "sessions", "list", "--json"); strings.TrimSpace(string(list)) != "[]" {
		t.Errorf("the sessions are %s, want none", list)
	}
}
