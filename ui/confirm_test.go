package ui

import "testing"

func TestAnActionIsConfirmedByItself(t *testing.T) {
	var c confirm
	for _, a := range []confirmable{quitting, leaving} {
		if c.ask(a); c.asked != a {
			t.Errorf("%d is asked for, and %d is confirmed", a, c.asked)
		}
	}
	if c.key(false); c.asked != leaving {
		t.Error("a command to leave cannot be typed a second time")
	}
	c.ask(quitting)
	if c.key(true); c.asked != quitting {
		t.Error("a second ctrl+c does not quit")
	}
	if c.key(false); c.asked != nothing {
		t.Error("ctrl+c quits though something was typed in between")
	}
}
