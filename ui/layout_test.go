package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/dialog"
	"winnow/ui/layout"
	"winnow/ui/list"
	"winnow/ui/uitest"
)

// The boundary says how many messages above it are sent too, such as pinned ones.
func TestTheBoundaryTellsOfTheMessagesAboveIt(t *testing.T) {
	for above, want := range map[int]string{0: "─ none of 4 above", 1: "─ and 1 of 4 above", 3: "─ and 3 of 4 above"} {
		m := fresh(t, 120, 40)
		var plan history.Plan
		var messages []store.Message
		for i := range 6 {
			e := history.Entry{ID: int64(i + 1), Index: i, Role: history.User, Disposition: history.Kept}
			if i >= above && i < 4 {
				e.Disposition, e.Cause = history.Dropped, history.Cause{Code: history.CauseOlder}
			}
			plan.Entries = append(plan.Entries, e)
			messages = append(messages, store.Message{Message: history.Message{
				ID: e.ID, Role: history.User, Content: fmt.Sprint("message ", e.ID), Status: history.Complete,
			}})
		}
		m.Chat.Reset(branch.Branch{}.With(messages...))
		m.Chat.Judge(plan, 0)
		if screen := plain(m); !strings.Contains(screen, want) {
			t.Errorf("with %d messages above the line the screen is\n%s", above, screen)
		}
	}
}

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
		m.dialogs.OpenList(list.New(m.Context, list.Options{Title: "things", Does: "use"}, items...), nil)
		lines := strings.Split(plain(m), "\n")
		top := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╭") })
		end := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╰") })
		if got := end - top - 1; got != want {
			t.Errorf("a list of %d entries is %d lines tall, want %d:\n%s", entries, got, want, plain(m))
		}
	}
}
