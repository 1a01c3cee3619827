package panel

import (
	"context"
	"reflect"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/llm"
	"winnow/session/record"
	"winnow/session/store"
	"winnow/ui/event"
	"winnow/ui/uitest"
)

// do gives the panel messages, and returns the events of the last one.
func do(p *Model, msgs ...tea.Msg) []event.Event {
	var events []event.Event
	for _, msg := range msgs {
		if name, ok := msg.(string); ok {
			msg = uitest.Key(name)
		}
		*p, _ = p.Update(msg)
		events = p.Events()
	}
	return events
}

// turnSent is the request of a turn, as its record has it.
func turnSent(turn int) *Request {
	r := PastRequest(record.Replayed{
		Recorded: record.Recorded{Request: store.Request{ID: int64(turn), Turn: turn}, Nth: 1, Of: 1},
	}, nil)
	return &r
}

func wantEvents(t *testing.T, what string, got []event.Event, want ...event.Event) {
	t.Helper()
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got the events %#v, want %#v", what, got, want)
	}
}

func TestStepsToThePastAreAskedForAndShown(t *testing.T) {
	p := planned()
	p.Turns = 3
	wantEvents(t, "left", do(&p, "left"), Load{Number: 1, Turn: 4, Nth: 1, By: -1})
	if got := do(&p, "left", "left"); len(got) > 0 {
		t.Errorf("while a request is read another step asks for %#v", got)
	}
	if do(&p, SlowMsg{1}); p.heading() != "Reading a past request…" {
		t.Errorf("while a request is read the title is %q", p.heading())
	}
	wantEvents(t, "the request is read", do(&p, LoadedMsg{Load: Load{Number: 1, By: -1}, Request: turnSent(3)}),
		Shown{}, Load{Number: 2, Turn: 3, Nth: 1, By: -2})
	if p.heading() != "Turn 3 · as recorded" {
		t.Errorf("the title is %q, want turn 3", p.heading())
	}
	do(&p, LoadedMsg{Load: Load{Number: 1}, Request: turnSent(1)})
	if p.heading() != "Turn 3 · as recorded" {
		t.Errorf("a request that was asked for before is shown: %q", p.heading())
	}
	wantEvents(t, "none before", do(&p, LoadedMsg{Load: Load{Number: 2, By: -2}}), event.Notice{
		Text: "There is no earlier request.",
	})
	do(&p, "right")
	wantEvents(t, "none behind", do(&p, LoadedMsg{Load: Load{Number: 3, By: 1}}), Shown{})
	if p.Past != nil {
		t.Error("behind the last request the next one is not shown")
	}
	wantEvents(t, "right", do(&p, "right"), event.Notice{
		Text: "This is the next request: what the model would see now.",
	})
}

func TestTheEarlierOfTwoRequestsIsWhatTheOtherIsComparedWith(t *testing.T) {
	for _, order := range [][]int{{1, 2}, {2, 1}} {
		p := planned()
		p.Open(turnSent(order[0]))
		do(&p, "d")
		p.Open(turnSent(order[1]))
		got := do(&p, "d")
		if len(got) != 1 || got[0].(Compared).Before.Past.Request.Turn != 1 || p.Past.Past.Request.Turn != 2 {
			t.Errorf("turns %v: got %#v with turn %d on show, want turn 1 and turn 2", order, got,
				p.Past.Past.Request.Turn)
		}
	}
	p := planned()
	do(&p, "d")
	p.Left()
	if p.Marked != nil {
		t.Error("the next request stays marked after it left")
	}
}

func TestDialsAskForOnePlanAtATime(t *testing.T) {
	p := planned()
	p.NewContext = func() (context.Context, context.CancelFunc) { return context.WithCancel(t.Context()) }
	p.OpenWhatif(Current{
		Policy: history.Policy{Preset: "balanced"}, Window: llm.Window{Tokens: 8192}, Model: "here/small",
		Refs: []string{"here/small"},
	})
	first := do(&p, "right")[0].(Try)
	if *first.Trial.Budget != 1000 {
		t.Errorf("the first step of the budget asks for a plan with %d tokens, want 1,000", *first.Trial.Budget)
	}
	if got := do(&p, "right"); len(got) > 0 || first.Context.Err() == nil {
		t.Errorf("a dial that is turned on asks for %#v, and the plan before it ends with %v", got, first.Context.Err())
	}
	second := do(&p, TriedMsg{Try: first, Plan: p.Next.Plan})[0].(Try)
	if *second.Trial.Budget != 2000 {
		t.Errorf("behind the first plan one with %d tokens is asked for, want 2,000", *second.Trial.Budget)
	}
	wantEvents(t, "the plan is there", do(&p, TriedMsg{
		Try: second, Plan: p.Next.Plan, Policy: history.Policy{Preset: "balanced"},
	}), Shown{})
	wantEvents(t, "enter", do(&p, "enter"), Apply{second.Trial, "Set: budget 2,000."})
	wantEvents(t, "down to the models", do(&p, "down", "down", "down"), ListModels{})
	wantEvents(t, "esc", do(&p, "esc"), Closed{})
	p.CloseWhatif()
	if p.heading() != "Next request" {
		t.Errorf("behind the dials the title is %q", p.heading())
	}
}
