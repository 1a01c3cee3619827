package ui

import (
	"strings"
	"testing"

	"winnow/session"
	"winnow/ui/current"
)

func TestPanelSaysThatTokensAreGuessedUntilTheyAreCounted(t *testing.T) {
	m := chatting(t, 120, 40)
	next := m.currentEvent(current.Counted{Counting: session.Counting{Counted: 12_000, Of: 100_000}})
	if next == nil {
		t.Error("after a part the counting does not go on")
	}
	if got := plain(m); !strings.Contains(got, "Counting 12,000 of 100,000") {
		t.Errorf("the screen does not say how far the counting is:\n%s", got)
	}
	if next := m.currentEvent(current.Counted{Counting: session.Counting{Counted: 100_000, Of: 100_000}}); next == nil {
		t.Error("when all is counted the plan is not made anew")
	}
	if got := plain(m); strings.Contains(got, "Counting") {
		t.Errorf("the screen still counts:\n%s", got)
	}
	m.Update(current.FoundMsg{Session: nil, Event: current.Counted{Counting: session.Counting{Of: 1}}})
	if m.panel.Guessed != "" {
		t.Error("another session's counting is shown in this one")
	}
}
