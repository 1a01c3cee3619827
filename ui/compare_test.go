package ui

import "testing"

func TestARequestIsNotComparedWithItself(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for _, q := range []string{"The first question.", "The second question.", "The third question."} {
		l.say(q)
	}
	l.press("tab", "tab", "left")
	l.shows("Turn 3 ·")
	l.press("left")
	l.shows("Turn 2 ·")
	l.press("d", "right")
	l.shows("Turn 3 ·")
	l.press("d")
	l.shows("from turn 2 to turn 3")
	l.press("left")
	l.shows("This is turn 2 itself")
	l.press("left")
	l.shows("from turn 1 to turn 2")
}
