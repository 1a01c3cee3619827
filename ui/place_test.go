package ui

import (
	"strings"
	"testing"

	"winnow/ui/uitest"
)

func TestWhatWasSaidMakesRoomForTheKeysOfWhatIsOpened(t *testing.T) {
	for _, c := range []struct {
		name  string
		press []string
		keys  string
	}{
		{"the help", []string{"?"}, "esc close"},
		{"the palette", []string{"ctrl+p"}, "enter run"},
		{"the transcript", []string{"tab"}, "enter inspect"},
		{"what is under the help", []string{"?", "s", "esc"}, "enter send"},
	} {
		m := fresh(t, 80, 24)
		m.notice.Say("Requests are limited to 1,500 tokens.")
		for _, name := range c.press {
			m.Update(uitest.Key(name))
		}
		if screen := plain(m); !strings.Contains(screen, c.keys) {
			t.Errorf("%s: %q is not on the screen, since a notice covers it:\n%s", c.name, c.keys, screen)
		}
	}
}

func TestWhatIsWrongStaysWhenSomethingIsOpened(t *testing.T) {
	m := fresh(t, 80, 24)
	m.notice.Error("The disk is full.")
	m.Update(uitest.Key("ctrl+p"))
	if screen := plain(m); !strings.Contains(screen, "The disk is full.") {
		t.Errorf("opening the palette took away what was wrong:\n%s", screen)
	}
}

func TestWhatAKeySaysStaysWhenItOpensSomething(t *testing.T) {
	m := fresh(t, 80, 24)
	m.Update(uitest.Key("?"))
	m.Update(uitest.Key("f2"))
	if screen := plain(m); !strings.Contains(screen, "esc closes the list.") {
		t.Errorf("the reason why f2 does nothing is not on the screen:\n%s", screen)
	}
}
