package ui

import "testing"

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
