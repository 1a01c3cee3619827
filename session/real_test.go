package session

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"winnow/llm"
	"winnow/llm/llmtest"
)

// Tests against real servers run if the environment names one; see llm/llmtest/README.md.
//
// realBench talks to a real server and keeps the bodies of the requests.
type realBench struct {
	*bench
	sent []string
}

func newRealBench(t *testing.T, e llm.Endpoint) *realBench {
	t.Helper()
	b := &realBench{bench: newBench(t)}
	e.Name, e.Doer = "test", b
	b.deps.Models = new(llm.Catalog).With(e)
	b.deps.Sampling.MaxTokens = 8
	b.deps.Tokenizer = "quarters"
	return b
}

// Do keeps the body of a request for an answer.
func (b *realBench) Do(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/chat/completions") || r.URL.Path == "/api/chat" {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		b.Came(body)
		b.sent = append(b.sent, string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return http.DefaultClient.Do(r)
}

// ask sends a message and returns the notices. An empty answer is allowed, because a model of random weights may end at
// once.
func (b *realBench) ask(s *Session, text string) (said string) {
	b.t.Helper()
	events, err := drain(s.Send(b.t.Context(), say(text)))
	if err != nil && !errors.Is(err, llm.Empty) {
		b.t.Fatal(err)
	}
	return strings.Join(notices(events), "\n")
}

// wantProven replays the last request of a turn.
func (b *realBench) wantProven(s *Session, turn int) {
	b.t.Helper()
	wantProven(b.t, s, turn, 0, b.sent[len(b.sent)-1])
}

// A text that the server counts as three times as long as earlier ones makes a request too long.
func TestRealOverflow(t *testing.T) {
	b := newRealBench(t, llm.Endpoint{BaseURL: llmtest.RealServer(t, "WINNOW_REAL_LLAMACPP")})
	listed, err := llm.NewClient(b.deps.Models.Endpoints()[0]).Models(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(b.deps, StartOptions{Model: "test/" + listed[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	window := listed[0].Window.Tokens
	b.ask(s, strings.Repeat("the of ", window*3/16))
	said := b.ask(s, strings.Repeat("猫", window/4-window/50))
	if !strings.Contains(said, "larger than the model's window") || len(b.sent) != 3 {
		t.Errorf("after %d requests it was said: %s", len(b.sent), said)
	}
	b.wantProven(s, 2)
}

// Behind a proxy that passes only /v1, Ollama silently drops the oldest messages.
func TestRealSilentCut(t *testing.T) {
	base, err := url.Parse(llmtest.RealServer(t, "WINNOW_REAL_OLLAMA"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(base)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	b := newRealBench(t, llm.Endpoint{BaseURL: server.URL + "/v1", Window: 32768})
	s, err := New(b.deps, StartOptions{Model: "test/endless"})
	if err != nil {
		t.Fatal(err)
	}
	var said string
	for turn := range 8 {
		if said = b.ask(s, strings.Repeat("the of ", 500)); strings.Contains(said, "the server read") {
			t.Logf("turn %d: %s", turn+1, said)
			break
		}
	}
	if !strings.Contains(said, "dropped part of this request") {
		t.Errorf("the server's window is filled, and it was said: %s", said)
	}
}

// With its own API, Ollama runs the window that is set, and requests fit it.
func TestRealOllamaWindow(t *testing.T) {
	b := newRealBench(t, llm.Endpoint{BaseURL: llmtest.RealServer(t, "WINNOW_REAL_OLLAMA") + "/v1"})
	s, err := New(b.deps, StartOptions{Model: "test/endless"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.LoadOlder(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Model().SetWindow(t.Context(), 3072); err != nil {
		t.Fatal(err)
	}
	for turn := range 5 {
		if said := b.ask(s, strings.Repeat("the of ", 400)); len(b.sent) != turn+1 ||
			strings.Contains(said, "dropped part") {
			t.Fatalf("turn %d took %d requests, and it was said: %s", turn+1, len(b.sent)-turn, said)
		}
		if got := askedWindow(t, b.sent[turn]); got != 3072 {
			t.Errorf("turn %d asks for a window of %d", turn+1, got)
		}
		b.wantProven(s, turn+1)
	}
	if w := s.Model().Window(); w.Tokens != 3072 {
		t.Errorf("the window is %+v", w)
	}
	if stated, err := s.Model().Client.StatedWindow(t.Context(), "endless"); err != nil || stated.Tokens != 3072 {
		t.Errorf("the server runs it with %+v, %v", stated, err)
	}
}
