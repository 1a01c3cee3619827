package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"winnow/ui/dialog"
	"winnow/ui/list"
	"winnow/ui/uitest"
)

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
		m.dialogs.List(list.New(m.Context, list.Options{Title: "things", Does: "use"}, items...), nil, nil)
		lines := strings.Split(plain(m), "\n")
		top := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╭") })
		end := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "╰") })
		if got := end - top - 1; got != want {
			t.Errorf("a list of %d entries is %d lines tall, want %d:\n%s", entries, got, want, plain(m))
		}
	}
}
