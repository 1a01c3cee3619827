package picker

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

func listOf(w, h int, choices ...Choice) Model {
	p := New(keymap.Default(), Options{Title: "models", Also: keymap.Models})
	p.Resize(w, h)
	p.Fill(choices)
	return p
}

func three() []Choice {
	return []Choice{{Label: "bread", Right: "4 turns", Value: "1"}, {Label: "parser", Right: "12 turns", Value: "2"}, {Label: "partner", Value: "3"}}
}

func press(p Model, keys ...string) (Model, Event) {
	var e Event
	for _, name := range keys {
		p, e = p.Update(uitest.Key(name))
	}
	return p, e
}

func TestTheCursorStaysWhereItIsWhenTheListChanges(t *testing.T) {
	p := listOf(40, 10, three()...)
	if c, _ := p.Cursor(); c.Value != "1" {
		t.Fatalf("a fresh list begins at %q, want 1", c.Value)
	}
	p, _ = press(p, "down")
	p.Fill([]Choice{{Label: "new", Value: "9"}, {Label: "bread", Value: "1"}, {Label: "parser", Value: "2"}})
	if c, _ := p.Cursor(); c.Value != "2" {
		t.Errorf("with a new first line the cursor is on %q, want still 2", c.Value)
	}
	p.Fill([]Choice{{Label: "new", Value: "9"}, {Label: "bread", Value: "1"}})
	if c, _ := p.Cursor(); c.Value != "1" {
		t.Errorf("when its line is gone the cursor is on %q, want the line in its place, 1", c.Value)
	}
}

func TestTheFilterIsEditedWhereTheCursorStands(t *testing.T) {
	p := listOf(40, 10, Choice{Label: "/model", Value: "model"}, Choice{Label: "/mouse", Value: "mouse"})
	p, _ = press(p, "m", "o", "d", "e", "left", "left", "delete", "d", "end", "l")
	if c, _ := p.Cursor(); p.Filter() != "model" || c.Value != "model" {
		t.Errorf("the filter is %q and chooses %q, want model", p.Filter(), c.Value)
	}
	p, _ = press(p, "ctrl+u")
	p, _ = p.Update(tea.PasteMsg{Content: " que\nry "})
	if p.Filter() != "que ry" || p.Shown() != 0 {
		t.Errorf("the pasted filter is %q and leaves %d", p.Filter(), p.Shown())
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want Event
	}{
		{[]string{"down", "enter"}, Chosen{"2"}},
		{[]string{"pgdown", "enter"}, Chosen{"3"}},
		{[]string{"p", "a", "r", "t", "enter"}, Chosen{"3"}},
		{[]string{"esc"}, Closed{}},
		{[]string{"ctrl+l"}, Closed{}},
		{[]string{"z", "enter"}, Empty{}},
		{[]string{"f2"}, NoKey{uitest.Key("f2")}},
		{[]string{"p"}, nil},
	} {
		if _, got := press(listOf(40, 10, three()...), c.keys...); got != c.want {
			t.Errorf("%v: got %#v, want %#v", c.keys, got, c.want)
		}
	}
}

func TestAClickMovesAndASecondOneChooses(t *testing.T) {
	p := listOf(40, 10, three()...)
	click := tea.MouseClickMsg{X: 5, Y: 4}
	p, e := p.Update(click)
	if c, _ := p.Cursor(); c.Value != "3" || e != nil {
		t.Fatalf("the first click is on %q and says %v, want 3 and nothing", c.Value, e)
	}
	if _, e = p.Update(click); e != (Chosen{"3"}) {
		t.Errorf("the second click says %v, want that 3 is chosen", e)
	}
	if _, e = p.Update(tea.MouseClickMsg{Y: 7}); e != nil {
		t.Errorf("a click below the list says %v", e)
	}
}

func TestScreens(t *testing.T) {
	st := theme.New(theme.None, theme.Palette{}, 0)
	failed := func(w, h int) Model {
		p := listOf(w, h, three()...)
		p.Note("ollama: does not answer at 127.0.0.1:11434.")
		return p
	}
	var screens uitest.Screens
	for _, c := range []struct {
		name string
		p    Model
	}{
		{"a list", failed(60, 8)},
		{"a narrow list", failed(18, 4)},
		{"an empty list", listOf(60, 4)},
		{"a list that is asked for", func() Model { p := New(keymap.Default(), Options{Loading: true}); p.Resize(60, 3); return p }()},
		{"a filter that leaves nothing", func() Model { p, _ := press(listOf(60, 4, three()...), "q"); return p }()},
		{"a filter", func() Model { p, _ := press(listOf(60, 5, three()...), "a", "r"); return p }()},
	} {
		lines, _ := c.p.View(st)
		screens.Add(c.name, lines)
	}
	screens.Golden(t)
}
