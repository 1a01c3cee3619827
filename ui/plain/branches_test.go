package plain

import (
	"strings"
	"testing"
)

func TestMessagesAreEditedAndAnsweredAgain(t *testing.T) {
	t.Parallel()
	o, s := options(t, says("One."), says("Two."), says("Other."), says("Again."))
	out := printed(t, o, strings.Join([]string{
		"First", "Second", "/version 1", "/edit 2 no", "/edit 9 no", "/edit 1", "/edit 1 Another", "/history",
		"/version 1", "/history", "/retry 2", "/history", "",
	}, "\n"))
	wantInOrder(
		t, out, "One.", "Two.", "The message has only one version", "a message of yours", "No message is numbered 9",
		"its new text", "Other.", "1, you, version 2 of 2:\nAnother\n2, small:\nOther.",
		"This is version 1 of 2 now.", "1, you, version 1 of 2:\nFirst\n2, small:\nOne.\n3, you:\nSecond\n",
		"Again.", "2, small, version 2 of 2:\nAgain.",
	)
	if len(s.bodies) != 4 || !strings.Contains(s.bodies[2], `"Another"`) || strings.Contains(s.bodies[2], "First") {
		t.Errorf("the requests are %q", s.bodies)
	}
}

func TestAConversationIsForkedInLines(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("One."), says("Two."))
	out := printed(t, o, "/fork\nFirst\nSecond\n/fork 9\n/fork 2\n/history\n/chats\n")
	wantInOrder(t, out, "no message to answer", "Two.", "No message is numbered 9", "Left \"First\"",
		"with 2 messages", "1, you:\nFirst\n2, small:\nOne.\n")
	if n := strings.Count(out[strings.LastIndex(out, "One."):], "First"); n != 2 {
		t.Errorf("%d sessions are listed, want the session and its copy:\n%s", n, out)
	}
}

func TestTextsAreFoundInAllChats(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("Rye needs water.\nThe SOURDOUGH rises."), says("No."))
	o.Secrets.Find = func(text string, _ bool) [][2]int {
		if i := strings.Index(text, "hunter2"); i >= 0 {
			return [][2]int{{i, i + len("hunter2")}}
		}
		return nil
	}
	out := printed(t, o, "How does sourdough with hunter2 rise?\n/new\nAnd now?\n/chats sourdough\n/chats zebra\n")
	wantInOrder(t, out, "No.", "SOURDOUGH rises.", "you: How does sourdough with", "There is no such chat or message.")
	if found := out[strings.Index(out, "SOURDOUGH rises.")+20:]; strings.Contains(found[strings.Index(found, "No."):],
		"hunter2") {
		t.Errorf("a list shows a secret:\n%s", found)
	}
}
