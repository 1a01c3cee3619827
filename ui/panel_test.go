package ui

import (
	"strings"
	"testing"

	"winnow/ui/layout"
	"winnow/ui/uitest"
)

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
