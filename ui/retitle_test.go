package ui

import "testing"

func TestAChatThatHasNotBegunHasNoTitleWritten(t *testing.T) {
	l := onStage(t, 80, 24)
	l.types("/title")
	l.press("enter")
	l.shows("There is nothing to take a title from yet.")
	l.say("our grammar is left-recursive")
	l.types("/title")
	l.press("enter")
	l.shows("The session is called our grammar is left-recursive.")
}
