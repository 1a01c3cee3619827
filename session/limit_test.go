package session

import (
	"context"
	"strings"
	"testing"
	"time"

	"winnow/llm/pricing"
	"winnow/session/store"
)

const cent = pricing.Dollar / 100

// The day is a day of the local calendar, and includes other sessions and temporary chats.
func TestADayCountsAllSessions(t *testing.T) {
	b := newBench(t, says("1"), says("2"), says("3"), says("4"))
	b.hosted(perMillion(10_000, 0))
	now := time.Date(2026, 11, 22, 23, 0, 0, 0, time.Local)
	b.deps.Now = func() time.Time { return now }
	if err := b.deps.Store.Close(); err != nil {
		t.Fatal(err)
	}
	var err error
	if b.deps.Store, err = store.Open(t.Context(), b.deps.Store.Path(), store.Options{Now: b.deps.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.deps.Store.Close() })
	draft := strings.Repeat("word ", 20)
	s := b.begin()
	plan, err := s.Preview(say(draft))
	if err != nil {
		t.Fatal(err)
	}
	// One request fits. After the 12 cents that the server counts for it, a second one does not.
	b.deps.Limits.Day.Cost = estimateOf(s.Model(), 0, plan.Sum).Cost.Amount + 5*cent
	send := func(s *Session, want string) {
		t.Helper()
		events, err := drain(s.Send(t.Context(), say(draft)))
		keys := ""
		for _, asked := range only[LimitExceeded](events) {
			keys += strings.Join(asked.Over.ConfigKeys(), " ")
		}
		if keys != want || (err == nil) != (want == "") {
			t.Errorf("asked about %q, %v; want %q", keys, err, want)
		}
	}
	one, two := b.begin(), b.begin()
	send(one, "")
	temporary, err := NewTemporary(t.Context(), b.deps, StartOptions{Model: "test/m"})
	if err != nil {
		t.Fatal(err)
	}
	defer temporary.Store().Close()
	send(temporary, "day_cost")
	send(two, "day_cost")
	err = two.ReadSpending(t.Context())
	sums := two.State().Spending
	if err != nil || sums.Session.Requests != 0 || sums.Day.Prompt+sums.Day.Answer != 13 ||
		sums.Day.Amount != 12*cent || sums.Month != sums.Day {
		t.Errorf("the sums are %+v, %v; want nothing of the session, and 13 tokens of the day and the month", sums, err)
	}
	now = now.Add(2 * time.Hour)
	send(two, "")
	send(one, "day_cost")
}

// A turn that is stopped while it asks about a limit sends and stores nothing.
func TestATurnThatWaitsForALimitCanBeStopped(t *testing.T) {
	b := newBench(t)
	b.hosted(perMillion(10_000, 0))
	b.deps.Limits.Request.Cost = cent
	s := b.begin()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events := s.Send(ctx, say("hello"))
	until[LimitExceeded](events)
	stop()
	if _, err := drain(events); err != nil || s.Info().ID != "" || b.requests() != 0 {
		t.Errorf("%v, session %q, %d requests; want nothing", err, s.Info().ID, b.requests())
	}
}
