package ui

import (
	"testing"

	"winnow/history"
	"winnow/session"
)

// A command that is typed while the session is still being read has its effect once it is.
func TestACommandRightAfterTheStartHasItsEffect(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("First")
	l.say("Second")
	s, err := session.Open(t.Context(), l.current.With, l.current.Info.ID, l.current.Ref)
	if err != nil {
		t.Fatal(err)
	}
	l.show(s)
	cmd := l.Init()
	l.types("/pin 3")
	l.press("enter")
	l.run(cmd)
	l.until("the pin", func() bool { return s.Flag(l.chat.Messages[2].ID) == history.Pin })
	l.shows("Pinned message 3")
}
