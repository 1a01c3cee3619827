package ui

import (
	"strings"
	"testing"

	"winnow/ui/uitest"
)

func TestThePanelOfANarrowScreenTakesTheKeysThatWorkEverywhere(t *testing.T) {
	for _, c := range []struct {
		key, title string
	}{
		{"ctrl+p", "Find a command"},
		{"ctrl+l", "Choose a model"},
		{"f1", "Help"},
	} {
		m := chatting(t, 80, 24)
		m.Update(uitest.Key("ctrl+x"))
		m.Update(uitest.Key(c.key))
		if screen := plain(m); !strings.Contains(screen, " "+c.title) {
			t.Errorf("%s in the panel did not open %q:\n%s", c.key, c.title, screen)
		}
	}
}
