package turn

import (
	"strings"
	"testing"
	"time"

	"winnow/llm"
	"winnow/session"
	"winnow/ui/app"
)

var begun = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func TestDeltasAreJoinedInOrder(t *testing.T) {
	events := make(chan session.Event, 8)
	for _, s := range []string{"one ", "two ", "three"} {
		events <- session.Delta{Text: s}
	}
	events <- session.Finished{}
	close(events)
	msg := gather(7, time.Hour, EventsMsg{from: events, shown: time.Now()})
	if len(msg.Events) != 2 || msg.Turn != 7 {
		t.Fatalf("got %+v, want one delta and the end", msg)
	}
	if d, _ := msg.Events[0].(session.Delta); d.Text != "one two three" {
		t.Errorf("joined text is %q", d.Text)
	}
}

// The first delta is passed on at once, and so is one that comes long after the last update.
func TestTheFirstPieceIsShownAtOnce(t *testing.T) {
	events := make(chan session.Event, 1)
	msg := EventsMsg{from: events}
	for _, s := range []string{"one", "two"} {
		events <- session.Delta{Text: s}
		msg = gather(7, time.Hour, msg)
		if len(msg.Events) != 1 || msg.Events[0] != (session.Delta{Text: s}) {
			t.Fatalf("got %+v, want the piece %q", msg.Events, s)
		}
		msg.shown = msg.shown.Add(-2 * time.Hour)
	}
}

// started returns a turn that has begun.
func started() *Model {
	m := &Model{Context: new(app.Context)}
	m.Start(1, func() {}, nil)
	return m
}

func TestEventsOfAnOldTurnAreDropped(t *testing.T) {
	m := started()
	events, next := m.Receive(EventsMsg{Turn: m.Number - 1, Events: []session.Event{session.Delta{Text: "late"}}})
	if next != nil || len(events) > 0 || m.activity != asking {
		t.Errorf("an old turn's events: %d handed on, now %q; want them dropped", len(events), m.activity)
	}
}

func TestATurnWhoseChannelClosesIsFinished(t *testing.T) {
	m := started()
	events, next := m.Receive(EventsMsg{Turn: m.Number, over: true})
	if len(events) != 1 || events[0] != (session.Finished{}) || next != nil {
		t.Errorf("a channel closed early hands on %v, want the end", events)
	}
	m.End()
	if events, _ = m.Receive(EventsMsg{Turn: m.Number, over: true}); len(events) > 0 {
		t.Errorf("a channel closed behind the end hands on %v, want nothing", events)
	}
}

func TestTheActivityFollowsTheEvents(t *testing.T) {
	m := started()
	for _, c := range []struct {
		event session.Event
		after time.Duration
		want  string
	}{
		{session.Planned{}, 0, "asking… 0.0 s"},
		{session.Retrying{
			Retrying: llm.Retrying{Err: &llm.Error{}, Delay: 5 * time.Second},
		}, time.Second, "trying again in 5 s"},
		{session.Delta{Reasoning: "I should think."}, 2 * time.Second, "thinking… 2.0 s · ~3 tokens"},
		// The clock moves once a second.
		{session.Delta{Text: "a"}, 2400 * time.Millisecond, "answering… 2.0 s · ~4 tokens"},
		{session.ToolCallDelta{Name: "shell"}, 3 * time.Second, "calling shell… 3.0 s · ~4 tokens"},
		{session.AnswerStored{}, 4 * time.Second, "asking… 4.0 s"},
		{session.ToolStarted{Name: "shell"}, 4 * time.Second, "running shell… 0.0 s"},
		{session.ToolProgress{Text: "40 %\x1b[2J"}, 5 * time.Second, "running shell… 1.0 s · 40 %␛[2J"},
		{session.ToolFinished{}, 5 * time.Second, "asking… 5.0 s"},
	} {
		m.Ticked(TickMsg{Turn: m.Number, At: begun.Add(c.after.Truncate(time.Second))}, false)
		m.Receive(EventsMsg{Turn: m.Number, Events: []session.Event{c.event}, At: begun.Add(c.after)})
		if doing, facts, _ := m.Activity(false); strings.TrimSpace(doing+" "+facts) != c.want {
			t.Errorf("after %T: %q %q, want %q", c.event, doing, facts, c.want)
		}
	}
	if got, _, _ := m.Activity(true); got != "waiting for your answer" {
		t.Errorf("with a question it is %q", got)
	}
	m.Stop()
	if got, _, _ := m.Activity(true); got != "stopping…" {
		t.Errorf("a turn that is stopped says %q", got)
	}
	m.End()
	if got, _, _ := m.Activity(false); got != "" {
		t.Errorf("a turn that is over says %q", got)
	}
}

// The clock moves once a second, and stops while nobody looks.
func TestTheClockSleeps(t *testing.T) {
	m := started()
	next := m.Ticked(TickMsg{Turn: m.Number, At: begun}, false)
	if next == nil {
		t.Fatal("the clock does not go on")
	}
	if second := m.Ticked(TickMsg{Turn: m.Number, At: begun.Add(time.Millisecond)}, false); second != nil {
		t.Error("a second clock runs")
	}
	next = m.Ticked(TickMsg{Turn: m.Number, At: begun.Add(time.Second)}, true)
	if _, got, _ := m.Activity(false); next != nil || got != "0.0 s" {
		t.Errorf("asleep the clock says %q and goes on: %v", got, next != nil)
	}
	next = m.Ticked(TickMsg{Turn: m.Number, At: begun.Add(3 * time.Second)}, false)
	if _, got, _ := m.Activity(false); next == nil || got != "3.0 s" {
		t.Errorf("awake the clock says %q and goes on: %v", got, next != nil)
	}
}
