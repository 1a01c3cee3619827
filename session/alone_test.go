package session

import (
	"strings"
	"testing"

	"winnow/history"
)

func TestAloneSendsNothingOfTheConversation(t *testing.T) {
	b := newBench(t, says("Noted."), says("Four."), says("Blue."))
	s := b.begin()
	if _, err := drain(s.Send(t.Context(), "The sky is blue.")); err != nil {
		t.Fatal(err)
	}
	if err := s.SetFlag(t.Context(), s.Messages()[0].ID, history.Pin); err != nil {
		t.Fatal(err)
	}
	if _, err := drain(s.SendAlone(t.Context(), "What is two and two?")); err != nil {
		t.Fatal(err)
	}
	if sent := b.body(2); strings.Contains(sent, "sky") || !strings.Contains(sent, "two and two") || !strings.Contains(sent, "Be brief.") {
		t.Errorf("alone is sent %s", sent)
	}
	if _, err := drain(s.Send(t.Context(), "Which colour?")); err != nil {
		t.Fatal(err)
	}
	if sent := b.body(3); !strings.Contains(sent, "sky") || !strings.Contains(sent, "Four.") {
		t.Errorf("the next request is %s", sent)
	}
	if r, err := s.Replay(t.Context(), 2, 0); err != nil || !r.Proven {
		t.Errorf("the lone request is not proven: %v %s", err, r.Doubt)
	}
}
