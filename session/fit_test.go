package session

import (
	"errors"
	"strings"
	"testing"

	"winnow/history"
	"winnow/history/cause"
	"winnow/llm"
	"winnow/session/store"
)

// A message whose request would not fit is neither stored nor sent, in whatever way it is sent; cut by the
// user's choice it is stored whole, sent cut, and its record proves it.
func TestAMessageThatDoesNotFitIsNotStored(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 8000)
	b := newBench(t, reports("Yes.", ""), reports("To the beginning.", ""), reports("Again.", ""))
	s := b.begin()
	wantRefused := func(how string, err error) {
		t.Helper()
		var over *OversizeError
		if !errors.As(err, &over) || over.Over.Parts[0].Kind != history.PartDraft ||
			over.Over.Bound != history.BoundWindow {
			t.Errorf("%s: the error is %v (%+v), want the message too long for the window", how, err, over)
		}
	}
	_, err := drain(s.Send(t.Context(), say(long)))
	wantRefused("the first message", err)
	if rows, err := b.deps.Store.Sessions(t.Context(), store.Filter{}); err != nil || len(rows) > 0 ||
		b.requests() > 0 {
		t.Fatalf("%d sessions are stored and %d requests sent (%v), want none", len(rows), b.requests(), err)
	}
	drain(s.Send(t.Context(), say("Hello?")))
	first := s.Messages()[0].ID
	for how, send := range map[string]func() <-chan Event{
		"send":  func() <-chan Event { return s.Send(t.Context(), say(long)) },
		"alone": func() <-chan Event { return s.Send(t.Context(), Draft{Alone: true, Text: long}) },
		"edit":  func() <-chan Event { return s.Send(t.Context(), Draft{Instead: first, Text: long}) },
	} {
		_, err := drain(send())
		wantRefused(how, err)
		wantTranscript(t, b.open(s.Info().ID).Messages(), "user: Hello?\nassistant: Yes.\n")
	}

	completed(t, s.Send(t.Context(), Draft{Cut: true, Text: long}))
	if got := s.Messages()[2].Content; got != long {
		t.Errorf("%d bytes of the message are stored, want all %d", len(got), len(long))
	}
	if body := b.body(2); strings.Contains(body, long) || !strings.Contains(body, "word word") {
		t.Error("the request does not hold a beginning of the message alone")
	}
	drain(s.Regenerate(t.Context(), 0, ""))
	r, err := b.open(s.Info().ID).Records().Replay(t.Context(), 2, 0)
	if err != nil || !r.Proven {
		t.Fatalf("the request is not proven: %v, %s", err, r.Doubt)
	}
	if e := r.Plan.Entries[2]; e.Disposition != history.Cut || e.Cause.Code != cause.CutByUser {
		t.Errorf("the record says %+v of the message, want cut by the user", e)
	}
	if got, again := b.body(2), b.body(3); !strings.Contains(again, `truncated, original`) ||
		len(again) > len(got)+200 {
		t.Errorf("asked again, the request has %d bytes, want it cut as before (%d)", len(again), len(got))
	}
}

// Where nobody has said the window, a message that fits the assumed one is stored before the server is asked
// for it; only one that might not fit waits for the answer.
func TestTheServerIsAskedForItsWindowBeforeALongMessageOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		draft  string
		window string
		fits   bool
	}{
		{strings.Repeat("word ", 8000), `{"data":[{"id":"m","context_length":200000}]}`, true},
		{strings.Repeat("word ", 8000), `{"data":[{"id":"m","context_length":4096}]}`, false},
	} {
		b := newBench(t, says("Yes."))
		e := b.deps.Models.Endpoints()[0]
		e.Window = 0
		b.deps.Models = new(llm.Catalog).With(e)
		b.info = map[string]func() string{"/v1/models": func() string { return c.window }}
		s := b.begin()
		_, err := drain(s.Send(t.Context(), say(c.draft)))
		if (err == nil) != c.fits {
			t.Errorf("%s: the error is %v, want the message sent: %v", c.window, err, c.fits)
		}
	}
}
