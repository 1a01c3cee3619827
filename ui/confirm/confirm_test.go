package confirm

import "testing"

func TestAnActionIsConfirmedByItself(t *testing.T) {
	for _, a := range []Action{Quit, QuitUnsaved, LeaveUnsaved} {
		var m Model
		m.Ask(a)
		for _, b := range []Action{Quit, QuitUnsaved, LeaveUnsaved, EditEarlier} {
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
	if m.Key(true); !m.Asked(Quit, QuitUnsaved) {
		t.Error("a second ctrl+c does not quit")
	}
	if m.Key(false); m.Asked(Quit) {
		t.Error("ctrl+c quits though something was typed in between")
	}
	m.Ask(LeaveUnsaved)
	if m.Key(false); !m.Asked(LeaveUnsaved) {
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

func TestOnlyTheVeryNextKeyIsTheSecondEsc(t *testing.T) {
	var m Model
	if m.Key(false); m.Asked(EditEarlier) {
		t.Error("one key confirms what nobody asked for")
	}
	m.Ask(EditEarlier)
	if m.Asked(EditEarlier) {
		t.Error("one key asks and confirms")
	}
	if m.Key(false); !m.Asked(EditEarlier) {
		t.Error("the next key does not confirm")
	}
	if m.Key(false); m.Asked(EditEarlier) {
		t.Error("a later key confirms")
	}
}
