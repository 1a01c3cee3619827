package confirm

import "testing"

func TestAnActionIsConfirmedByItself(t *testing.T) {
	for _, a := range []Action{Quit, Leave} {
		var m Model
		m.Ask(a)
		for _, b := range []Action{Quit, Leave} {
			if got := m.Asked(b); got != (a == b) {
				t.Errorf("%d is asked for, and %d is confirmed: %t", a, b, got)
			}
		}
		if m.Forget(); m.Asked(a) {
			t.Errorf("%d is confirmed though it was forgotten", a)
		}
	}
}

func TestWhoeverTypesDoesNotMeanToQuit(t *testing.T) {
	var m Model
	m.Ask(Quit)
	if m.Key(true); !m.Asked(Quit) {
		t.Error("a second ctrl+c does not quit")
	}
	if m.Key(false); m.Asked(Quit) {
		t.Error("ctrl+c quits though something was typed in between")
	}
	m.Ask(Leave)
	if m.Key(false); !m.Asked(Leave) {
		t.Error("a command to leave cannot be typed a second time")
	}
}

func TestARequestExpires(t *testing.T) {
	var m Model
	m.Ask(Quit)
	old := ExpireMsg{m.requests}
	m.Ask(Quit)
	if m.Expire(old); !m.Asked(Quit) {
		t.Error("the end of an older request ended the newer one")
	}
	if m.Expire(ExpireMsg{m.requests}); m.Asked(Quit) {
		t.Error("a request is confirmed after its time")
	}
}
