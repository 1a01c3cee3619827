package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"winnow/ui/dialog"
	"winnow/ui/layout"
	"winnow/ui/list"
	"winnow/ui/uitest"
)

// On wide and narrow screens, ctrl+x cycles strip, panel and off.
func TestContextGoesFromStripToPanelToOff(t *testing.T) {
	for _, width := range []int{80, 120} {
		m := chatting(t, width, 30)
		m.layout.Context = layout.ContextStrip
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

// openedList returns the list on top, an empty one if there is none.
func openedList(m *Model) *list.Model {
	if l, ok := m.dialogs.Top().(*dialog.Picker); ok {
		return l.Model
	}
	return new(list.Model)
}

// A floating list is as tall as its entries, and never taller than its box.
func TestListsAreAsTallAsTheirEntries(t *testing.T) {
	for entries, want := range map[int]int{1: 3, 3: 5, 500: 32} { // with the filter and the rule
		m := chatting(t, 120, 40)
		items := make([]list.Item, entries)
		for i := range items {
			items[i] = list.Item{Label: fmt.Sprint("choice ", i), Value: fmt.Sprint(i)}
		}
		m.dialogs.OpenList(list.New(m.Context, list.Options{Title: "things", ChooseHint: "use"}, items...), nil)
		lines := strings.Split(plain(m), "\n")
		top := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╭") })
		end := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╰") })
		if got := end - top - 1; got != want {
			t.Errorf("a list of %d entries is %d lines tall, want %d:\n%s", entries, got, want, plain(m))
		}
	}
}
