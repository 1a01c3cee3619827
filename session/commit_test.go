package session

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"winnow/llm"
	"winnow/session/store"
)

// hangingServer never answers. For each request, it reports what is on disk.
func hangingServer(t *testing.T, b *bench) (arrived <-chan string) {
	t.Helper()
	on := make(chan string, 64)
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rows, err := b.deps.Store.Sessions(context.Background(), store.SessionFilter{})
		if err != nil || len(rows) != 1 {
			on <- fmt.Sprintf("%s %s with %d sessions on disk (%v)", r.Method, r.URL.Path, len(rows), err)
		} else {
			branch, _ := b.deps.Store.Branch(context.Background(), rows[0].Leaf, 0)
			on <- transcript(branch)
		}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	// Nothing is known of this model, so the window, the prices and the count have to be asked for.
	b.deps.Models = new(llm.Catalog).With(llm.Endpoint{
		Name: "test", BaseURL: server.URL + "/v1", Key: "sk-test", Default: "unheard-of", Exact: true,
	})
	return on
}

func TestUserMessageIsOnDiskBeforeTheNetworkIsAskedAnything(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(context.Context, *Session) <-chan Event
		want string
	}{
		"first": {
			func(ctx context.Context, s *Session) <-chan Event { return s.Send(ctx, say("second")) }, "user: second\n",
		},
		"send": {
			func(ctx context.Context, s *Session) <-chan Event {
				return s.Send(ctx, say("second"))
			}, "user: first\nassistant: One.\nuser: second\n",
		},
		"edit": {func(ctx context.Context, s *Session) <-chan Event {
			return s.Send(ctx, Draft{Replaces: s.Messages()[0].ID, Text: "second"})
		}, "user: second\n"},
		"regenerate": {
			func(ctx context.Context, s *Session) <-chan Event {
				return s.Regenerate(ctx, 0, "")
			}, "user: first\nassistant: One.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, says("One."))
			id := ""
			if name != "first" {
				s := b.begin()
				drain(s.Send(t.Context(), say("first")))
				id = s.Info().ID
			}
			arrived := hangingServer(t, b)
			s, err := New(b.deps, StartOptions{Model: "test/unheard-of"})
			if id != "" {
				s, err = Open(t.Context(), b.deps, id, "")
			}
			if err == nil && id != "" {
				to := s.begin("test/unheard-of")
				s.set(func(st *State) {
					s.setModel(to)
					st.Row.Address = to.Address() // the user agreed to it
				})
			}
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			events := c.say(ctx, s)
			if got := <-arrived; got != c.want {
				t.Errorf("when the server was asked, on disk was %q, want %q", got, c.want)
			}
			stop()
			if _, err := drain(events); err != nil {
				t.Errorf("a stop is not an error, got %v", err)
			}
		})
	}
}
