package ui

import "testing"

func TestPanelGoesThroughThePastRequests(t *testing.T) {
	l := onStage(t, 140, 50)
	for _, q := range []string{"The first question.", "The second question.", "The third question."} {
		l.say(q)
	}
	l.press("tab", "tab")
	l.shows("context: next request")
	l.press("left")
	l.shows("context: turn 3")
	l.shows("✓ proven")
	l.shows("transcript as seen in turn 3")
	if got := l.panel.shown().rows.len(); got != 5 {
		t.Errorf("the third request's list has %d lines, want the 5 messages that were there:\n%s", got, plain(l.Model))
	}
	l.press("left")
	l.shows("context: turn 2")
	l.press("left")
	l.shows("context: turn 1")
	l.press("left")
	l.shows("Nothing was sent before this.")

	l.press("right")
	l.shows("context: turn 2")
	l.press("right")
	l.shows("context: turn 3")
	l.press("right")
	l.shows("context: next request")
	l.press("right")
	l.shows("what the model would see now")

	l.press("left")
	l.shows("context: turn 3")
	l.press("esc")
	l.shows("context: next request")
}

func TestAnAnswerShowsWhatItsRequestHeld(t *testing.T) {
	for _, size := range [][2]int{{140, 50}, {80, 24}} {
		l := onStage(t, size[0], size[1])
		l.say("The first question.")
		l.say("The second question.")
		l.press("shift+tab")
		if l.focus != transcriptPane {
			l.press("shift+tab")
		}
		l.press("g", "c") // on the first question: the request that answered it
		l.shows("context: turn 1")
		l.shows("✓ proven")
		l.types("x")
		l.press("esc")
		l.shows("context: next request")
	}
}
