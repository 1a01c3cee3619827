package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"winnow/history"
	"winnow/session/branch"
	"winnow/session/store"
	"winnow/ui/dialog"
	"winnow/ui/layout"
	"winnow/ui/list"
	"winnow/ui/uitest"
)

// Whatever is on the screen, at any size: no line is wider than the screen, none is missing, and the cursor is on it.
func TestEveryStateFitsEverySize(t *testing.T) {
	sizes := [][2]int{
		{20, 5}, {40, 10}, {60, 20}, {80, 24}, {90, 30}, {119, 40}, {120, 40}, {200, 60}, {300, 100}, {1, 1}, {13, 3},
	}
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom(sizes).Draw(rt, "size")
		state := rapid.SampledFrom(states).Draw(rt, "state")
		m := state.make(t, 120, 40)
		m.Info.Title = rapid.SampledFrom([]string{
			"Parser rewrite", "語言模型看見什麼，又為什麼", "👩‍👩‍👧‍👦🏳️‍🌈 e\u0301 ﷽", "",
		}).Draw(rt, "title")
		for _, size := range [][2]int{size, rapid.SampledFrom(sizes).Draw(rt, "then")} {
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			fits(t, m)
			if c := m.View().Cursor; c != nil && (c.X < 0 || c.X >= size[0] || c.Y < 0 || c.Y >= size[1]) {
				rt.Fatalf("%s at %d×%d: the cursor is at %d, %d", state.name, size[0], size[1], c.X, c.Y)
			}
		}
	})
}

// The line says how many messages above it the model sees too: the opening, and what is pinned or recalled.
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
		m.Chat.Reset(branch.Branch{}.Append(messages...))
		m.Chat.Judge(plan, 0)
		if screen := plain(m); !strings.Contains(screen, want) {
			t.Errorf("with %d messages above the line the screen is\n%s", above, screen)
		}
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

func TestWhatLiesOverTheNarrowPanelGivesItBack(t *testing.T) {
	for _, key := range []string{"?", "f1", "ctrl+p", "ctrl+l", "ctrl+s", "m", "w", "enter", "i"} {
		m := chatting(t, 80, 24)
		m.Update(uitest.Key("ctrl+x"))
		m.Update(uitest.Key(key))
		if !m.covered() {
			t.Fatalf("%s in the panel opened nothing:\n%s", key, plain(m))
		}
		m.Update(uitest.Key("esc"))
		if m.covered() || m.focus != panelPane || m.layout.Cover.Empty() {
			t.Errorf("what %s opened over the panel closed the panel as well:\n%s", key, plain(m))
		}
		m.Update(uitest.Key("esc"))
		if _, selected := m.Chat.Selected(); m.covered() || selected {
			t.Errorf("after %s the panel closed to overlay %d, with a cursor in the transcript: %v", key,
				m.dialogs.Top(), selected)
		}
	}
}

// openedList is the list on top, an empty one where there is none.
func openedList(m *Model) *list.Model {
	if l, ok := m.dialogs.Top().(*dialog.Picker); ok {
		return l.Model
	}
	return new(list.Model)
}

// A list that floats is as tall as its entries, and never taller than its place.
func TestListsAreAsTallAsTheirEntries(t *testing.T) {
	for entries, want := range map[int]int{1: 3, 3: 5, 500: 32} { // with the filter and the rule
		m := chatting(t, 120, 40)
		items := make([]list.Item, entries)
		for i := range items {
			items[i] = list.Item{Label: fmt.Sprint("choice ", i), Value: fmt.Sprint(i)}
		}
		m.dialogs.List(list.New(m.Context, list.Options{Title: "things", Does: "use"}, items...), nil)
		lines := strings.Split(plain(m), "\n")
		top := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╭") })
		end := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╰") })
		if got := end - top - 1; got != want {
			t.Errorf("a list of %d entries is %d lines tall, want %d:\n%s", entries, got, want, plain(m))
		}
	}
}
