package session

import (
	"strings"
	"testing"

	"winnow/history"
)

func TestAloneSendsNothingOfTheConversation(t *testing.T) {
	b := newBench(t, says("Noted."), says("Four."), says("Blue."))
	s := b.begin()
	completed(t, s.Send(t.Context(), say("The sky is blue.")))
	if _, err := s.SetFlags(t.Context(), flagged(history.Pin, s.Messages()[0].ID)); err != nil {
		t.Fatal(err)
	}
	events := completed(t, s.Send(t.Context(), Draft{Alone: true, Text: "What is two and two?"}))
	// The user wants the conversation left out: nobody is warned of that.
	if lost := only[Planned](events)[0].Forecast.Losses; len(lost) > 0 {
		t.Errorf("messages %v are reported as lost", lost)
	}
	if sent := b.body(2); strings.Contains(sent, "sky") || !strings.Contains(sent, "two and two") ||
		!strings.Contains(sent, "Be brief.") {
		t.Errorf("alone is sent %s", sent)
	}
	completed(t, s.Send(t.Context(), say("Which colour?")))
	if sent := b.body(3); !strings.Contains(sent, "sky") || !strings.Contains(sent, "Four.") {
		t.Errorf("the next request is %s", sent)
	}
	if r, err := s.Records().Replay(t.Context(), 2, 0); err != nil || !r.Proven {
		t.Errorf("the lone request is not proven: %v %s", err, r.Doubt)
	}
}
