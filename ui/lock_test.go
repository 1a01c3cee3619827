package ui

import (
	"testing"
	"time"

	"winnow/session"
	"winnow/ui/conversation"
)

// A plan that takes long does not stop the screen from being drawn.
func TestTheViewDoesNotWaitForAPlan(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	planning, goOn := make(chan bool), make(chan bool)
	deps := l.With
	deps.Count = func(text string) int {
		if text == "a slow draft" {
			planning <- true
			<-goOn
		}
		return len(text)
	}
	l.With = deps
	s, err := session.New(deps, session.Start{Ref: "here/small"})
	if err != nil {
		t.Fatal(err)
	}
	l.run(l.opened(s, conversation.Opening{}))
	l.say("A question.")
	l.press("tab", "tab")
	planned := make(chan bool)
	go func() {
		_, _ = s.Preview(session.Draft{Text: "a slow draft"})
		close(planned)
	}()
	<-planning
	drawn := make(chan bool)
	go func() {
		l.View()
		close(drawn)
	}()
	select {
	case <-drawn:
	case <-time.After(time.Minute):
		t.Error("the screen waits for the plan")
	}
	close(goOn)
	<-planned
	<-drawn
}
