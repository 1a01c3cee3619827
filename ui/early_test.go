package ui

import (
	"testing"
)

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
