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
	l.until("the pin", func() bool { return s.Now().Flags[l.chat.Messages.ID(2)] == history.Pin })
	l.shows("Pinned message 3")
}

// A draft of several lines that begins with the name of a command is not sent without a word.
func TestACommandWithAnotherLineIsNotSent(t *testing.T) {
	t.Parallel()
	l := onStage(t, 110, 40)
	l.say("First")
	asked := l.Asked()
	for draft, says := range map[string]string{
		"/retry\nmore":        "/retry takes one line. To send it as a message, put a space before the slash.",
		"/help me here\nmore": "/help takes no arguments. To send it as a message, put a space before the slash.",
	} {
		l.types(draft)
		l.press("enter")
		l.shows(says)
		if l.Asked() != asked || l.composer.Shown() != draft {
			t.Errorf("%q: %d requests more, and the draft is %q", draft, l.Asked()-asked, l.composer.Shown())
		}
		l.composer.Set("")
	}
	l.types("/alone Second\nmore")
	l.press("enter")
	l.shows("Answer 2")
	if last, _ := l.chat.Message(l.chat.Messages.ID(2)); last.Content != "Second\nmore" || !last.Alone {
		t.Errorf("sent is %q, alone %v", last.Content, last.Alone)
	}
}
