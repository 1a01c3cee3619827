package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// TestCutOverTheNetwork breaks a real connection.
func TestCutOverTheNetwork(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, delta2("Hello"))
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer server.Close()
	got, _, err := heard(NewClient(Endpoint{Name: "here", BaseURL: server.URL + "/v1"}), hello())
	wantText(t, "events", got, "Hello| cut")
	if !errors.Is(err, ErrConnectionLost) {
		t.Fatalf("got %v, want the broken connection", err)
	}
	wantText(t, "sentence", err.Error(), "the connection to here was lost before the answer was complete")
}

// TestCancelOverTheNetwork cancels a request to a silent server, before and after its first output.
func TestCancelOverTheNetwork(t *testing.T) {
	for _, words := range []string{"", "Hello"} {
		came := make(chan struct{}, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body) // Otherwise the server does not notice that the client disconnects.
			if words != "" {
				_, _ = fmt.Fprint(w, delta2(words))
				w.(http.Flusher).Flush()
			}
			came <- struct{}{}
			<-req.Context().Done()
		}))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-came
			cancel()
		}()
		_, _, err := heardIn(ctx, NewClient(Endpoint{Name: "here", BaseURL: server.URL + "/v1"}), hello())
		if !errors.Is(err, context.Canceled) || !errors.Is(err, ErrStopped) {
			t.Errorf("after %q: got %v, want context.Canceled", words, err)
		}
		server.Close()
	}
}

// Neither the conversation nor the key is sent to an address that the user did not configure, whatever the status.
func TestNoRedirectIsFollowed(t *testing.T) {
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var reached atomic.Int32
		stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, stranger.URL+r.URL.Path, status)
		}))
		c := NewClient(Endpoint{Name: "test", BaseURL: server.URL + "/v1", Key: "sk-test", MaxAttempts: 1})
		if _, _, err := heard(c, hello()); err == nil {
			t.Errorf("%d: a request that was sent elsewhere is no error", status)
		}
		if _, err := c.Models(t.Context()); err == nil {
			t.Errorf("%d: a list of models from elsewhere is no error", status)
		}
		server.Close()
		stranger.Close()
		if n := reached.Load(); n > 0 {
			t.Errorf("%d: %d requests went to the stranger", status, n)
		}
	}
}
