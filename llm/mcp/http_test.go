package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"winnow/llm/tool"
)

// webServer configures an HTTP server.
func webServer(t *testing.T, h http.Handler) ServerConfig {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return ServerConfig{
		Name: "web", URL: server.URL + "/mcp?tenant=7", StartupTimeout: 2 * time.Minute,
		ToolTimeout: 2 * time.Minute,
	}
}

// Every request has the configured headers and the query of the URL.
func TestAServerIsAskedByHTTP(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]*sdk.StreamableHTTPOptions{"events": {}, "JSON": {JSONResponse: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changing := func(*http.Request) *sdk.Server { return honestServer("changing") }
			streamable := sdk.NewStreamableHTTPHandler(changing, options)
			s := webServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("X-Api-Key") != "secret" || r.URL.Query().Get("tenant") != "7" ||
					r.Header.Get("Accept") == "nonsense" {
					http.Error(w, "no", http.StatusUnauthorized)
					return
				}
				streamable.ServeHTTP(w, r)
			}))
			s.Headers = map[string]string{"x-api-key": "secret", "accept": "nonsense"}
			m := started(t, s)
			if got := call(t, m, "web__add", `{"a":2,"b":3}`); got != "5" {
				t.Errorf("got %q, status %+v", got, m.Statuses()[0])
			}
			if got, err := m.ReadResource(t.Context(), "web", "memo:one"); got != "read memo:one" || err != nil {
				t.Errorf("read %q, %v", got, err)
			}
			if name == "events" {
				call(t, m, "web__change", `{}`)
				until(t, m, func(s ServerStatus) bool { return strings.Contains(fmt.Sprint(offered(m)), "web__new") })
			}
		})
	}
}

// Redirects to other servers are not followed.
func TestNoRequestLeavesForAnotherServer(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(stranger.Close)
	for name, h := range map[string]http.HandlerFunc{
		"301": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL, http.StatusMovedPermanently)
		},
		"307": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL, http.StatusTemporaryRedirect)
		},
	} {
		s := webServer(t, h)
		s.Headers = map[string]string{"Authorization": "Bearer secret"}
		m := started(t, s)
		if s := m.Statuses()[0]; s.State != Failed || !strings.Contains(s.Err.Error(), stranger.URL) {
			t.Errorf("%s: the server is %s: %v", name, s.State, s.Err)
		}
	}
	if n := reached.Load(); n > 0 {
		t.Errorf("%d requests reached the stranger", n)
	}
}

func TestAnHTTPServerThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"401": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "wrong \x1b[31mtoken", http.StatusUnauthorized)
		}, "the server rejected the credentials (401); set headers in its configuration: wrong [31mtoken"},
		"502": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			"the server responded with 502 Bad Gateway",
		},
		"silent": {
			func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body); <-r.Context().Done() },
			"did not answer within 100ms",
		},
	} {
		s := webServer(t, c.handler)
		if name == "silent" {
			s.StartupTimeout = 100 * time.Millisecond
		}
		if s := started(t, s).Statuses()[0]; s.State != Failed || !strings.Contains(s.Err.Error(), c.want) {
			t.Errorf("%s: the server is %s: %v; want failed: %s", name, s.State, s.Err, c.want)
		}
	}
	closed := webServer(t, http.NotFoundHandler())
	closed.URL = "http://127.0.0.1:1/mcp"
	if s := started(t, closed).Statuses()[0]; s.State != Failed || !strings.Contains(s.Err.Error(), "connection refused") {
		t.Errorf("a closed port: %s: %v", s.State, s.Err)
	}
}

// An HTTP server that has lost its sessions is reconnected.
func TestALostSessionIsConnectedAnew(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	fresh := func() http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return honestServer("honest") }, nil)
	}
	handler := fresh()
	m := started(t, webServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handler
		mu.Unlock()
		h.ServeHTTP(w, r)
	})))
	until(t, m, func(s ServerStatus) bool { return s.Listed })
	mu.Lock()
	handler = fresh()
	mu.Unlock()
	if got := call(t, m, "web__add", `{"a":2,"b":3}`); !strings.Contains(got, "ended during the call") {
		t.Errorf("a call in a session that was forgotten: %q", got)
	}
	if got := call(t, m, "web__add", `{"a":2,"b":3}`); got != "5" {
		t.Errorf("the call after it gave %q, status %+v", got, m.Statuses()[0])
	}
}

// An HTTP server that has gone is noticed before the user is asked about a call.
func TestAServerThatIsGoneIsNotReady(t *testing.T) {
	t.Parallel()
	streamable := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return honestServer("honest") },
		&sdk.StreamableHTTPOptions{Stateless: true})
	server := httptest.NewServer(streamable)
	m := started(t, ServerConfig{Name: "web", URL: server.URL})
	tools := tool.Set{Boxes: m.Toolboxes()}
	if err := tools.Ready(t.Context(), "web__add"); err != nil {
		t.Errorf("a server that answers is not ready: %v", err)
	}
	server.Close()
	if err := tools.Ready(t.Context(), "web__add"); err == nil || !strings.Contains(err.Error(), "is not in use") {
		t.Errorf("a server that is gone is ready: %v", err)
	}
}

// The progress of a call is passed on.
func TestProgressIsReported(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	server := sdk.NewServer(&sdk.Implementation{Name: "slow"}, nil)
	addTool(server, "long", "", func(ctx context.Context, r *sdk.CallToolRequest, _ struct{}) ([]sdk.Content, error) {
		for i := range 2 {
			r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
				ProgressToken: r.Params.GetProgressToken(), Progress: float64(i), Total: float64(4 * i),
				Message: "step\x1b",
			})
		}
		<-seen
		return textOf("all done"), nil
	})
	m := started(t, webServer(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)))
	said, result := make(chan string, 2), make(chan string, 1)
	ctx := tool.WithProgress(t.Context(), func(text string) { said <- text })
	go func() {
		text, _ := tool.Set{Boxes: m.Toolboxes()}.Run(ctx, "web__long", `{}`)
		result <- text
	}()
	for _, want := range []string{"0 step", "25 % step"} {
		if got := <-said; got != want {
			t.Errorf("progress is %q, want %q", got, want)
		}
	}
	close(seen)
	if got := <-result; got != "all done" {
		t.Errorf("the call gave %q", got)
	}
}

// A stopped call is cancelled at the server.
func TestAStoppedCallIsCancelledAtTheServer(t *testing.T) {
	t.Parallel()
	began, cancelled := make(chan struct{}), make(chan struct{})
	server := sdk.NewServer(&sdk.Implementation{Name: "slow"}, nil)
	addTool(server, "wait", "", func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) ([]sdk.Content, error) {
		close(began)
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	m := started(t, webServer(t, sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil)))
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-began; stop() }()
	(tool.Set{Boxes: m.Toolboxes()}).Run(ctx, "web__wait", `{}`)
	select {
	case <-cancelled:
	case <-time.After(2 * time.Minute):
		t.Error("the server does not know that the call was stopped")
	}
}
