package session

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"winnow/history"
	"winnow/llm"
	"winnow/session/record"
	"winnow/session/store"
)

// moved gives the endpoint of a bench another address, where a second script answers.
func (b *bench) moved(t *testing.T, steps ...step) (at *script, address string) {
	t.Helper()
	at = &script{t: t, steps: steps, Ledger: b.Ledger}
	server := httptest.NewServer(at)
	t.Cleanup(server.Close)
	e := b.deps.Models.Endpoints()[0]
	e.BaseURL = server.URL + "/v1"
	b.deps.Models = new(llm.Catalog).With(e)
	return at, e.ShownURL()
}

// A chat whose endpoint is at another address now goes nowhere before the user agrees, whichever way it goes on, and
// nothing is stored.
func TestAChatGoesToNoOtherAddressUnasked(t *testing.T) {
	ways := map[string]func(s *Session) <-chan Event{
		"send": func(s *Session) <-chan Event { return s.Send(t.Context(), say("And now?")) },
		"edit": func(s *Session) <-chan Event {
			return s.Send(t.Context(), Draft{Instead: s.Messages()[0].ID, Text: "Else?"})
		},
		"regenerate": func(s *Session) <-chan Event { return s.Regenerate(t.Context(), 0, "") },
		"compact":    func(s *Session) <-chan Event { return s.Compact(t.Context()) },
	}
	for name, goOn := range ways {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, says("One."), says("Two."))
			s := b.begin()
			for _, text := range []string{"First", "Second"} {
				completed(t, s.Send(t.Context(), say(text)))
			}
			was := b.deps.Models.Endpoints()[0].ShownURL()
			there, now := b.moved(t, says("Elsewhere."))
			again := b.open(s.Info().ID)
			_, err := drain(goOn(again))
			var other *OtherAddressError
			if !errors.As(err, &other) || other.Was != was || other.Now != now || again.Ready() == nil {
				t.Errorf("the turn ends with %v, and the chat is ready: %v", err, again.Ready())
			}
			if n := again.Branch().Len(); there.requests() != 0 || n != 4 {
				t.Errorf("%d requests went to the other address, and there are %d messages", there.requests(), n)
			}
		})
	}
}

// Who names the model agrees to its address, which is kept.
func TestToNameTheModelAgreesToItsAddress(t *testing.T) {
	b := newBench(t, says("One."))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("First")))
	there, now := b.moved(t, says("Two."), says("Three."))
	again := b.open(s.Info().ID)
	if err := again.Set(t.Context(), Settings{Model: "test/m"}); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Session{again, b.open(s.Info().ID)} {
		events := completed(t, s.Send(t.Context(), say("And now?")))
		d, err := record.ReadDecision(only[Planned](events)[0].Request)
		if err != nil || d.Base != now {
			t.Errorf("the record names the address %q, %v; want %q", d.Base, err, now)
		}
	}
	if there.requests() != 2 {
		t.Errorf("%d requests went to the new address, want 2", there.requests())
	}
}

// A chat that nobody has been asked about, as an imported one, has the address of its first request.
func TestAnImportedChatKeepsTheAddressOfItsFirstRequest(t *testing.T) {
	b := newBench(t, says("One."))
	row, _, err := b.deps.Store.Begin(t.Context(), store.Session{}, store.Message{
		Message: history.Message{Role: history.User, Content: "First"},
	})
	if err != nil {
		t.Fatal(err)
	}
	completed(t, b.open(row.ID).Send(t.Context(), say("Second")))
	there, _ := b.moved(t)
	var other *OtherAddressError
	if _, err := drain(b.open(row.ID).Send(t.Context(), say("Third"))); !errors.As(err, &other) || there.requests() != 0 {
		t.Errorf("the turn ends with %v after %d requests", err, there.requests())
	}
}

// An answer of another model in one turn is asked for where the user names it, and changes nothing for the turns after.
func TestAModelOfOneTurnLeavesTheAddress(t *testing.T) {
	b := newBench(t, says("One."), says("Three."))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("First")))
	home := b.deps.Models.Endpoints()[0]
	there, _ := b.moved(t, says("Two."))
	other := b.deps.Models.Endpoints()[0]
	other.Name = "other"
	b.deps.Models = new(llm.Catalog).With(home).With(other)
	again := b.open(s.Info().ID)
	completed(t, again.Regenerate(t.Context(), 0, "other/m"))
	completed(t, again.Send(t.Context(), say("Second")))
	if there.requests() != 1 || b.requests() != 2 || strings.Contains(b.body(2), "other") {
		t.Errorf("%d requests went to the other address, %d to the first one", there.requests(), b.requests())
	}
}
