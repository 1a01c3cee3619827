package event

import (
	"slices"
	"testing"

	"winnow/ui/uitest"
)

func TestEventsAreTakenOnceInTheirOrder(t *testing.T) {
	type closed struct{}
	var q Queue
	for _, cmd := range []any{q.Say("Done."), q.Emit(closed{}), q.SayError("Not done."), q.NoKey(uitest.Key("z"),
		"esc closes this.")} {
		if cmd == nil {
			t.Error("got no command of type tea.Cmd")
		}
	}
	want := []Event{
		Notice{Text: "Done."}, closed{}, Notice{Text: "Not done.", Error: true}, Notice{
			Text: "z does nothing here; esc closes this.",
		},
	}
	if got := q.Events(); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := q.Events(); len(got) != 0 {
		t.Errorf("taken again: %v, want none", got)
	}
}
