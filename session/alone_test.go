package session

import (
	"strings"
	"testing"

	"winnow/history"
)

func TestAloneSendsNothingOfTheConversation(t *testing.T) {
	b := newBench(t, says("Noted."), says("Four."), says("Blue."))
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), say("The sky is blue."))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SetFlags(t.Context(), flagged(history.Pin, s.Messages()[0].ID)); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(s.Send(t.Context(), Draft{Alone: true, Text: "What is two and two?"})); err != nil {
		t.Fatal(err)
	}
	if sent := b.body(2); strings.Contains(sent, "sky") || !strings.Contains(sent, "two and two") ||
		!strings.Contains(sent, "Be brief.") {
		t.Errorf("alone is sent %s", sent)
	}
	if _, err := drain(s.Send(t.Context(), say("Which colour?"))); err != nil {
		t.Fatal(err)
	}
	if sent := b.body(3); !strings.Contains(sent, "sky") || !strings.Contains(sent, "Four.") {
		t.Errorf("the next request is %s", sent)
	}
	if r, err := s.Records().Replay(t.Context(), 2, 0); err != nil || !r.Proven {
		t.Errorf("the lone request is not proven: %v %s", err, r.Doubt)
	}
}

// What is sent alone leaves the conversation out because the user wants it so: nobody is warned of that.
func TestAloneLosesNothing(t *testing.T) {
	b := newBench(t, says("Noted."), says("Four."))
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), say("The sky is blue."))); err != nil {
		t.Fatal(err)
	}
	events, err := drain(s.Send(t.Context(), Draft{Alone: true, Text: "What is two and two?"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if planned, ok := e.(Planned); ok && len(planned.Forecast.Losses) > 0 {
			t.Errorf("messages %v are told as lost", planned.Forecast.Losses)
		}
	}
}
