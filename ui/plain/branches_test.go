package plain

import (
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/sessiontest"
)

func TestMessagesAreEditedAndAnsweredAgain(t *testing.T) {
	t.Parallel()
	o, s := options(t, says("One."), says("Two."), says("Other."), says("Again."), says("Anew."))
	out := transcript(t, o, strings.Join([]string{
		"First", "Second", "/versions", "/edit 2 no", "/edit 9 no", "/edit x",
		"/edit 1 Another", "/versions", "/versions 1 1", "/history",
		"/versions 1 3", "/versions 4", "/retry 2", "/versions",
		"/edit 1", "Read \\", "anew", "/edit 1", "", "/history", "",
	}, "\n"))
	wantInOrder(
		t, out, "One.", "Two.", "No message has another version.", "Message 2 is not yours", "There is no message 9",
		"There is no message x",
		"Other.", "message 1, you: version 2 of 2", "message 1, you: version 1 of 2 now", "1, you:\nFirst\n2, "+
			"small:\nOne.\n3, you:\nSecond\n4, small:\nTwo.",
		"Message 1 has 2 versions", "Message 4 has no other version", "Again.", "message 2, model: version 2 of 2",
		"Message 1 is:\nFirst\n", "Anew.", "Message 1 is:\nRead \nanew\n", "It is unchanged.",
		"1, you:\nRead \nanew\n2, small:\nAnew.",
	)
	if len(s.bodies) != 5 || !strings.Contains(s.bodies[2], `"Another"`) || strings.Contains(s.bodies[2], "First") ||
		!strings.Contains(s.bodies[4], `Read \nanew`) {
		t.Errorf("the requests are %q", s.bodies)
	}
}

func TestAConversationIsForkedInLines(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("One."), says("Two."))
	out := transcript(t, o, "/fork\nFirst\nSecond\n/fork 9\n/fork 2\n/history\n/sessions\n")
	wantInOrder(t, out, "no message to answer", "Two.", "There is no message 9", "Left \"First\"",
		"This is a copy of it.", "with 2 messages", "1, you:\nFirst\n2, small:\nOne.\n")
	if n := strings.Count(out[strings.LastIndex(out, "One."):], "First"); n != 2 {
		t.Errorf("%d sessions are listed, want the session and its copy:\n%s", n, out)
	}
}

func TestTextsAreFoundHereAndInOtherSessions(t *testing.T) {
	t.Parallel()
	o, _ := options(t, says("Rye needs water.\nThe SOURDOUGH rises."), says("No."))
	o.Secrets.Find = func(text string, _ bool) [][2]int {
		if i := strings.Index(text, "hunter2"); i >= 0 {
			return [][2]int{{i, i + len("hunter2")}}
		}
		return nil
	}
	out := transcript(t, o, "How does sourdough with hunter2 rise?\n/search sourdough\n/new\nAnd now?\n/search "+
		"sourdough\n/search zebra\n")
	wantInOrder(
		t, out, "rises.", "Message 1, you, whole: How does sourdough with",
		"Message 2, model, whole: The SOURDOUGH rises.", "No.",
		"This chat has no message with it.", "sourdough", "This chat has no message with it.",
	)
	if found := out[strings.Index(out, "Message 1, you, whole"):]; strings.Contains(found, "hunter2") {
		t.Errorf("a list shows a secret:\n%s", found)
	}
}

func TestToolsAreListedInLines(t *testing.T) {
	t.Parallel()
	o, _ := options(t, callsAdd, says("Why not?"))
	out := transcript(t, o, "/tools\nAdd.\nr\nI can add.\n")
	wantInOrder(t, out, "add, ask: adds", "Together they add", "r: no, with a reason",
		"reason", "Why not?")
	var result string
	for _, m := range sessiontest.Messages(o.Start.Branch()) {
		if m.Role == history.Tool {
			result = m.Content
		}
	}
	if !strings.Contains(result, "I can add.") {
		t.Errorf("the model is told %q, want the reason", result)
	}
}
