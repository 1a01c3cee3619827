package ui

import (
	"strings"
	"testing"
)

// lessBudget gives the conversation so small a budget that old answers are left out.
func lessBudget(l *live) {
	l.t.Helper()
	l.types("/budget 272")
	l.press("enter")
	l.shows("up to 272 tokens")
	l.planned()
}

func TestPanelNamesWhatIsLostForTheFirstTime(t *testing.T) {
	t.Parallel()
	l := onStage(t, 140, 50)
	for range 6 {
		l.say("Tell me more about it.")
	}
	if strings.Contains(plain(l.Model), "! New:") {
		t.Fatalf("everything fits, and something is lost:\n%s", plain(l.Model))
	}
	lessBudget(l)
	l.shows("! New: ")
	l.say("And more.")
	if got := plain(l.Model); strings.Contains(got, "! New: 2") {
		t.Errorf("what was lost before is lost for the first time again:\n%s", got)
	}
}
