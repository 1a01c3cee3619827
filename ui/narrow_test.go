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

func TestANewSessionBeginsFromThePanelOfANarrowScreen(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	l.say("The first question.")
	l.press("ctrl+x")
	l.shows("Next request")
	l.press("ctrl+n")
	l.shows("new chat")
	l.shows("Write a message, @ for a file")
}

func TestThePanelOfANarrowScreenGoesByPages(t *testing.T) {
	t.Parallel()
	l := onStage(t, 80, 24)
	for range 12 {
		l.say("A question.")
	}
	l.press("ctrl+x")
	l.until("the last line", func() bool { return l.panel.At == 23 })
	l.View() // A page is what was drawn.
	for _, c := range []struct {
		key         string
		least, most int // lines that it goes
	}{
		{"pgup", -12, -6}, {"pgup", -12, -6}, {"pgdown", 6, 12}, {"ctrl+u", -6, -3}, {"ctrl+d", 3, 6},
	} {
		at := l.panel.At
		l.press(c.key)
		if by := l.panel.At - at; by < c.least || by > c.most {
			t.Errorf("%s went %d lines, want %d to %d:\n%s", c.key, by, c.least, c.most, plain(l.Model))
		}
	}
}
