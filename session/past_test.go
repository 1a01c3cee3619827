package session

import (
	"encoding/json"
	"testing"

	"winnow/history"
)

// sharedMessages counts the messages that two bodies begin with alike.
func sharedMessages(t interface{ Fatalf(string, ...any) }, before, now string) int {
	var bodies [2]struct{ Messages []json.RawMessage }
	for i, text := range []string{before, now} {
		if err := json.Unmarshal([]byte(text), &bodies[i]); err != nil {
			t.Fatalf("read a body: %v", err)
		}
	}
	n := 0
	for n < len(bodies[0].Messages) && n < len(bodies[1].Messages) &&
		string(bodies[0].Messages[n]) == string(bodies[1].Messages[n]) {
		n++
	}
	return n
}

// A model reads its tools before all messages.
func TestNothingIsSharedUnderOtherTools(t *testing.T) {
	b := newBench(t, says("One."), says("Two."))
	s := b.begin()
	drain(s.Send(t.Context(), "First"))
	b.offer(adder(t))
	later := b.open(s.Info().ID)
	if err := later.LoadPast(t.Context()); err != nil {
		t.Fatal(err)
	}
	plan, err := later.Preview("And?")
	if err != nil || plan.Sum.Tools == 0 {
		t.Fatalf("planned with %d tokens of tools, %v; want some", plan.Sum.Tools, err)
	}
	if got := later.Past().Forecast(plan).Prefix; !got.Known || got.Tokens != 0 || got.IfNextDrops != 0 {
		t.Errorf("the prefix is %+v, want none", got)
	}
	drain(later.Send(t.Context(), "Second"))
	if plan, err = later.Preview("And?"); err != nil {
		t.Fatal(err)
	}
	body, err := later.Try(Trial{}).Body(plan)
	if err != nil {
		t.Fatal(err)
	}
	want := plan.Sum.Tools
	for _, m := range plan.Messages[:sharedMessages(t, b.bodies[1], string(body))] {
		want += history.Cost(m, b.deps.Count)
	}
	if got := later.Past().Forecast(plan).Prefix; got.Tokens != want {
		t.Errorf("under the same tools the prefix is %+v, want %d tokens, %d of them tools", got, want, plan.Sum.Tools)
	}
}
