package ui

import (
	"testing"

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

func TestPickerKeepsFilterAndCursorOverARename(t *testing.T) {
	var p picker
	p.fill(threeSessions())
	for _, r := range "par" {
		p.typed(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	p.move(1)
	c, _ := p.chosen()
	p.rename(c, c.label)
	p.typed(tea.KeyPressMsg{Code: 's', Text: "s"})
	if p.filter != c.label+"s" {
		t.Errorf("the name is %q, want %q", p.filter, c.label+"s")
	}
	p.renamed()
	if again, _ := p.chosen(); p.filter != "par" || again.value != c.value {
		t.Errorf("after a rename the filter is %q and the cursor on %q, want par and %q", p.filter, again.value, c.value)
	}
}
