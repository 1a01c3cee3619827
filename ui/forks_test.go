package ui

import (
	"strings"
	"testing"
)

// forkedAt forks the session at the message with a number, and waits until the fork is on the screen.
func (l *live) forkedAt(number int) {
	l.t.Helper()
	was := l.current.Session
	l.press("tab")
	l.chat.GoTo(l.chat.Messages.ID(number - 1))
	l.press("f")
	l.until("the fork", func() bool { return l.current.Session != was })
	l.planned()
}

func TestForkOpensAndLeadsBack(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.press("tab")
	l.run(l.listForks())
	l.shows("There is no parent or fork of this chat to open; f forks it at a message.")
	l.press("esc")
	l.types("/fork")
	l.press("enter")
	l.shows("There are no messages yet, so there is nothing to fork.")
	l.say("First")
	l.say("Second")
	parent := l.current.Session.Info()
	l.types("unsent")
	l.forkedAt(2)
	l.wantTexts("First | Answer 1")
	l.shows("First (fork)")
	if got := l.composer.Text(); got != "" {
		t.Errorf("the fork begins with the draft %q, want none", got)
	}
	l.say("Elsewhere")
	if body := l.body(); strings.Contains(body, "Second") || !strings.Contains(body, "First") {
		t.Errorf("the fork was sent\n%s", body)
	}
	l.wantTexts("First | Answer 1 | Elsewhere | Answer 3")
	fork := l.current.Session.Info().ID
	l.run(l.listForks())
	l.shows("← First")
	l.press("enter")
	l.until("the parent", func() bool { return l.current.Session.Info().ID == parent.ID })
	l.wantTexts("First | Answer 1 | Second | Answer 2")
	if m, ok := l.chat.Selected(); !ok || m.ID != l.chat.Messages.ID(1) {
		t.Errorf("the cursor is on %d, want the message of the fork", m.ID)
	}
	l.until("the draft", func() bool { return l.composer.Text() == "unsent" })
	l.run(l.listForks())
	l.shows("↳ First (fork)")
	l.press("enter")
	l.until("the fork", func() bool { return l.current.Session.Info().ID == fork })
	l.wantTexts("First | Answer 1 | Elsewhere | Answer 3")
}
