package ui

import (
	"strings"
	"testing"

	"winnow/session"
	"winnow/ui/layout"
	"winnow/ui/uitest"
)

func TestPanelSaysThatTokensAreGuessedUntilTheyAreCounted(t *testing.T) {
	m := chatting(t, 120, 40)
	next := m.current.Screen.Counted(session.Counting{Counted: 12_000, Of: 100_000})
	if next == nil {
		t.Error("after a part the counting does not go on")
	}
	if got := plain(m); !strings.Contains(got, "Counting 12,000 of 100,000") {
		t.Errorf("the screen does not say how far the counting is:\n%s", got)
	}
	if next := m.current.Screen.Counted(session.Counting{Counted: 100_000, Of: 100_000}); next == nil {
		t.Error("when all is counted the plan is not made anew")
	}
	if got := plain(m); strings.Contains(got, "Counting") {
		t.Errorf("the screen still counts:\n%s", got)
	}
}

// ctrl+x goes strip, panel, off, on a wide screen and on a narrow one, and every step is remembered.
func TestContextGoesFromStripToPanelToOff(t *testing.T) {
	for _, width := range []int{80, 120} {
		m := chatting(t, width, 30)
		m.layout.Context = layout.AsStrip
		m.arrange()
		for _, want := range []struct {
			shown        string
			strip, panel bool
		}{{"strip", true, false}, {"panel", false, true}, {"off", false, false}, {"strip again", true, false}} {
			screen := plain(m)
			strip, panel := strings.Contains(screen, "─ sends 6 of 7"), strings.Contains(screen, "Next request")
			if strip != want.strip && !(width == 80 && want.panel) || panel != want.panel {
				t.Errorf("%d columns, %s: strip %v, panel %v:\n%s", width, want.shown, strip, panel, screen)
			}
			m.Update(uitest.Key("ctrl+x"))
		}
	}
}
