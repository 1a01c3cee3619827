package ui

import (
	"testing"

	"winnow/ui/uitest"

	tea "charm.land/bubbletea/v2"
)

func threeSessions() []choice {
	return []choice{{label: "bread", value: "1"}, {label: "parser", value: "2"}, {label: "partner", value: "3"}}
}

func TestPickerStaysWhereItIsWhenTheListChanges(t *testing.T) {
	var p picker
	p.fill(threeSessions())
	if c, _ := p.chosen(); c.value != "1" {
		t.Fatalf("a fresh list begins at %q, want 1", c.value)
	}
	p.move(1)
	p.fill([]choice{{label: "new", value: "9"}, {label: "bread", value: "1"}, {label: "parser", value: "2"}})
	if c, _ := p.chosen(); c.value != "2" {
		t.Errorf("with a new first line the cursor is on %q, want still 2", c.value)
	}
	p.fill([]choice{{label: "new", value: "9"}, {label: "bread", value: "1"}})
	if c, _ := p.chosen(); c.value != "1" {
		t.Errorf("when its line is gone the cursor is on %q, want the line in its place, 1", c.value)
	}
}

func TestTheFilterOfAListIsEditedWhereTheCursorStands(t *testing.T) {
	m := chatting(t, 80, 24)
	m.openPalette()
	for _, name := range []string{"m", "o", "d", "e", "left", "left", "delete", "d", "end", "l"} {
		m.Update(uitest.Key(name))
	}
	if c, _ := m.picker.chosen(); m.picker.filter.Text != "model" || c.value != "model" {
		t.Errorf("the filter is %q and chooses %q, want model", m.picker.filter.Text, c.value)
	}
	m.Update(uitest.Key("ctrl+u"))
	m.Update(tea.PasteMsg{Content: " que\nry "})
	if m.picker.filter.Text != "que ry" || len(m.picker.shown) != 0 {
		t.Errorf("the pasted filter is %q and leaves %d", m.picker.filter.Text, len(m.picker.shown))
	}
}
