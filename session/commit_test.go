package session

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"

	"winnow/llm"
	"winnow/session/store"
)

// hangingServer never answers any route. It notes what is on disk when a request arrives.
func hangingServer(t *testing.T, b *bench) (arrived <-chan string) {
	t.Helper()
	on := make(chan string, 64)
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		rows, err := b.deps.Store.Sessions(context.Background(), store.Filter{})
		if err != nil || len(rows) != 1 {
			on <- fmt.Sprintf("%s %s with %d sessions on disk (%v)", r.Method, r.URL.Path, len(rows), err)
		} else {
			branch, _ := b.deps.Store.Branch(context.Background(), rows[0].ID, rows[0].Leaf, 0, -1)
			on <- transcript(branch)
		}
		select {
		case <-over:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(over) })
	// Nothing is known of this model, so that the window, the prices and the count are all asked for.
	b.deps.Models = new(llm.Catalog).With(llm.Endpoint{Name: "test", BaseURL: server.URL + "/v1", Key: "sk-test", Default: "unheard-of", Exact: true})
	return on
}

func TestUserMessageIsOnDiskBeforeTheNetworkIsAskedAnything(t *testing.T) {
	for name, c := range map[string]struct {
		say  func(context.Context, *Session) <-chan Event
		want string
	}{
		"first": {func(ctx context.Context, s *Session) <-chan Event { return s.Send(ctx, "second") }, "user: second\n"},
		"send":  {func(ctx context.Context, s *Session) <-chan Event { return s.Send(ctx, "second") }, "user: first\nassistant: One.\nuser: second\n"},
		"alone": {func(ctx context.Context, s *Session) <-chan Event {
			return s.SendAs(ctx, SendOptions{Alone: true}, "second")
		}, "user: first\nassistant: One.\nuser: second\n"},
		"edit": {func(ctx context.Context, s *Session) <-chan Event {
			return s.Edit(ctx, SendOptions{}, s.Messages()[0].ID, "second")
		}, "user: second\n"},
		"regenerate": {func(ctx context.Context, s *Session) <-chan Event { return s.Regenerate(ctx, 0) }, "user: first\nassistant: One.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, says("One."))
			id := ""
			if name != "first" {
				s := b.begin()
				drain(s.Send(t.Context(), "first"))
				id = s.Info().ID
			}
			arrived := hangingServer(t, b)
			s, err := New(b.deps, Start{Ref: "test/unheard-of"})
			if id != "" {
				s, err = Open(t.Context(), b.deps, id, "")
			}
			if err == nil && id != "" {
				s.use(s.deps.begin("test/unheard-of"))
				s.row.Address = s.model.Address() // the user has agreed to it
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

// TestSettingsMadeWhileAMessageIsStoredStay changes the model, the title, the budget and the system prompt
// at random moments around the first commits of many conversations. What was set last must be what the
// session, the store and the next request have, and each record must name the model of its body.
func TestSettingsMadeWhileAMessageIsStoredStay(t *testing.T) {
	t.Parallel()
	const seed = 11
	rounds := 30
	steps := make([]step, 2*rounds)
	for i := range steps {
		steps[i] = says("Yes.")
	}
	b := newBench(t, steps...)
	for round := range rounds {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		s := b.begin()
		model, title, system := fmt.Sprintf("m%d", round), fmt.Sprintf("title %d", round), fmt.Sprintf("system %d", round)
		budget := 3000 + round
		settings := []func() error{
			func() error { return s.SetModel(t.Context(), "test/"+model) },
			func() error { return s.Rename(t.Context(), title) },
			func() error { return s.SetSystem(t.Context(), system) },
			func() error { return s.Apply(t.Context(), Trial{Budget: new(budget)}) },
			func() error { return s.Apply(t.Context(), Trial{SummaryAlways: new(true)}) },
		}
		var changing sync.WaitGroup
		for _, set := range settings {
			later := random.IntN(2000)
			changing.Go(func() {
				for range later {
					runtime.Gosched()
				}
				if err := set(); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			})
		}
		if _, err := drain(s.Send(t.Context(), "first")); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		changing.Wait()
		if _, err := drain(s.Send(t.Context(), "second")); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for where, row := range map[string]store.Session{"the session": s.Info(), "the store": b.open(s.Info().ID).Info()} {
			if row.Model != model || row.Title != title || row.System != system {
				t.Errorf("round %d: %s has model %q, title %q, system prompt %q; want %q, %q, %q", round, where, row.Model, row.Title, row.System, model, title, system)
			}
			if policy, err := b.deps.settings().PolicyOf(overridesOf(row)); err != nil || policy.Budget != budget || !policy.SummaryAlways {
				t.Errorf("round %d: %s has the overrides %q (%v), want budget %d and summary_always", round, where, row.Overrides, err, budget)
			}
		}
		records, err := b.deps.Store.Requests(t.Context(), s.Info().ID)
		if err != nil || len(records) != 2 {
			t.Fatalf("round %d: %d records (%v), want 2", round, len(records), err)
		}
		for i, r := range records {
			var body struct{ Model string }
			if err := json.Unmarshal([]byte(b.body(2*round+i+1)), &body); err != nil || body.Model != r.Model {
				t.Errorf("round %d: record %d names %q, the body %q (%v)", round, i+1, r.Model, body.Model, err)
			}
		}
		if records[1].Model != model {
			t.Errorf("round %d: the second request went to %q, want %q", round, records[1].Model, model)
		}
	}
}

func TestATitleThatIsAskedForReplacesTheUsersOwn(t *testing.T) {
	t.Parallel()
	b := newBench(t, says("Yes."))
	s := b.begin()
	drain(s.Send(t.Context(), "How does a parser recover?"))
	if err := s.Rename(t.Context(), "Mine"); err != nil {
		t.Fatal(err)
	}
	title, err := s.Retitle(t.Context(), true, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	for where, got := range map[string]string{"Retitle": title, "the session": s.Info().Title, "the store": b.open(s.Info().ID).Info().Title} {
		if got != "How does a parser recover?" {
			t.Errorf("%s says %q, want the title that was asked for", where, got)
		}
	}
}

// A title that the user gives while a model writes one stays, and Retitle returns it.
func TestAWrittenTitleDoesNotReplaceOneGivenMeanwhile(t *testing.T) {
	t.Parallel()
	asked, renamed := make(chan struct{}), make(chan struct{})
	b := newBench(t, says("Yes."), func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-renamed
		says("Written")(w, r)
	})
	b.deps.TitleRef = "test/small"
	s := b.begin()
	drain(s.Send(t.Context(), "How does a parser recover?"))
	go func() {
		defer close(renamed)
		<-asked
		if err := s.Rename(t.Context(), "Mine"); err != nil {
			t.Error(err)
		}
	}()
	title, err := s.Retitle(t.Context(), false, func(Event) {})
	if err != nil || title != "Mine" || s.Info().Title != "Mine" || s.Info().TitleFrom != "user" {
		t.Errorf("Retitle returned %q (%v) and the session is called %q by %q, want Mine by user", title, err, s.Info().Title, s.Info().TitleFrom)
	}
}
