package ui

import (
	"strings"
	"testing"
)

func TestCompactStandsInTheNextRequest(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.types("/compact")
	l.press("enter")
	l.shows("there is nothing to summarise yet")

	l.say("one")
	l.say("two")
	l.say("and a half")
	l.say("three")
	before := l.chat.Messages.Len()
	l.types("/compact")
	l.press("enter")
	l.until("the summary", func() bool { return !l.turn.Busy && l.Session.Now().Policy.SummaryAlways })
	l.shows("✚")
	if got := l.chat.Messages.Len(); got != before {
		t.Errorf("%d messages are on the screen, want the %d that were said", got, before)
	}
	l.say("four")
	l.mu.Lock()
	sent := l.bodies[len(l.bodies)-1]
	l.mu.Unlock()
	if !strings.Contains(sent, "[Summary of what was said before]") || strings.Contains(sent, `"two"`) ||
		!strings.Contains(sent, "three") {
		t.Errorf("the request is %s", sent)
	}

	l.types("/compact off")
	l.press("enter")
	l.shows("The messages themselves are sent again")
	l.types("/compact on")
	l.press("enter")
	l.shows("Usage: /compact, or /compact off.")
}
