package ui

import (
	"strings"
	"testing"
)

func TestAMessageThatDoesNotFitSaysWhatHelps(t *testing.T) {
	l := onStage(t, 120, 40)
	l.composer.set(strings.Repeat("word ", 40_000))
	l.press("enter")
	l.shows("tokens too many")
	screen := plain(l.Model)
	if !strings.Contains(screen, "this needs 50,0") {
		t.Errorf("the numbers are not grouped as they are elsewhere on the screen:\n%s", screen)
	}
}
