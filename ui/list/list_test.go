package list

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/app"
	"winnow/ui/keymap"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// ctx is what the lists share with the rest of the screen.
func ctx() *app.Context {
	return &app.Context{Shared: &app.Shared{
		Keys: keymap.Default(), Themes: &theme.Selection{Styles: theme.New(theme.None, theme.Palette{}, 0)},
	}}
}

func listOf(w, h int, items ...Item) *Model {
	m := New(ctx(), Options{Title: "models", CloseAction: keymap.Models}, items...)
	m.Resize(w, h)
	return m
}

func three() []Item {
	return []Item{
		{Label: "bread", Right: "4 turns", Value: "1"},
		{Label: "parser", Right: "12 turns", Value: "2"},
		{Label: "partner", Value: "3"},
	}
}

// press presses keys one after the other, and returns the list with what the last one came to.
func press(m *Model, keys ...string) (*Model, Result) {
	var r Result
	for _, name := range keys {
		r = m.Update(uitest.Key(name))
	}
	return m, r
}

func TestTheCursorStaysWhereItIsWhenTheListChanges(t *testing.T) {
	p := listOf(40, 10, three()...)
	if c, _ := p.SelectedItem(); c.Value != "1" {
		t.Fatalf("a fresh list begins at %q, want 1", c.Value)
	}
	press(p, "down")
	p.SetItems([]Item{{Label: "new", Value: "9"}, {Label: "bread", Value: "1"}, {Label: "parser", Value: "2"}})
	if c, _ := p.SelectedItem(); c.Value != "2" {
		t.Errorf("with a new first line the cursor is on %q, want still 2", c.Value)
	}
	p.SetItems([]Item{{Label: "new", Value: "9"}, {Label: "bread", Value: "1"}})
	if c, _ := p.SelectedItem(); c.Value != "1" {
		t.Errorf("when its line is gone the cursor is on %q, want the line in its place, 1", c.Value)
	}
}

func TestWhatAKeyComesTo(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want Result
		at   string
	}{
		{[]string{"down", "enter"}, Chosen, "2"},
		{[]string{"pgdown", "enter"}, Chosen, "3"},
		{[]string{"p", "a", "r", "t", "enter"}, Chosen, "3"},
		{[]string{"esc"}, Closed, "1"},
		{[]string{"ctrl+l"}, Closed, "1"},
		{[]string{"z", "enter"}, Chosen, ""},
		{[]string{"z", "esc"}, Filtered, "1"},
		{[]string{"f2"}, UnknownKey, "1"},
		{[]string{"p"}, Filtered, "2"},
	} {
		m, got := press(listOf(40, 10, three()...), c.keys...)
		if at, _ := m.SelectedItem(); got != c.want || at.Value != c.at {
			t.Errorf("%v: got %v on %q, want %v on %q", c.keys, got, at.Value, c.want, c.at)
		}
	}
}

func TestAClickMovesAndASecondOneChooses(t *testing.T) {
	m := listOf(40, 10, three()...)
	for i, want := range []Result{Moved, Chosen} {
		got := m.Update(tea.MouseClickMsg{X: 5, Y: 4})
		if c, _ := m.SelectedItem(); got != want || c.Value != "3" {
			t.Errorf("click %d comes to %v on %q, want %v on 3", i+1, got, c.Value, want)
		}
	}
	if got := m.Update(tea.MouseClickMsg{Y: 7}); got != Moved {
		t.Errorf("a click below the list comes to %v", got)
	}
}

// What is named in full is under the cursor, wherever it stands; else the first that fits best.
func TestTheFilterFindsTheBestItem(t *testing.T) {
	items := []Item{
		{Label: "openai/mock-fast", Group: "In use", Value: "1"},
		{Label: "openai/mock", Group: "openai", Value: "2"},
		{Label: "local/mock", Group: "local", Value: "3"},
		{Label: "local/hammock", Group: "local", Value: "4"},
	}
	for filter, want := range map[string]string{
		"mock": "2", "openai/mock": "2", "local/mock": "3", "ham": "4", "mock local": "3", "lhk": "4",
	} {
		m := listOf(60, 20, items...)
		m.Update(tea.PasteMsg{Content: filter})
		if c, _ := m.SelectedItem(); c.Value != want {
			t.Errorf("%q puts the cursor on %s, want %s", filter, c.Value, want)
		}
	}
}

// commandList has one column of descriptions, whatever follows a name.
func commandList(w int) *Model {
	p := New(ctx(), Options{Title: "commands", Placeholder: "Find a command"}, []Item{
		{Label: "/new", Description: "start a new chat", Right: "ctrl+n", Value: "new"},
		{Label: "/export [FORMAT] [FILE]", Description: "write the chat to a file", Value: "export"},
		{Label: "/copy [NUMBERS]", Description: "copy messages", Right: "y", Value: "copy"},
	}...)
	p.Resize(w, 6)
	return p
}

func TestAShortListOpensWithItsGroupsAndFindsTheRest(t *testing.T) {
	p := New(ctx(), Options{GroupsFirst: true}, []Item{
		{Label: "/attach", Description: "attach a page by its address", Group: "Chat", Value: "attach"},
		{Label: "/copy", Description: "copy an answer", Group: "More", Value: "copy"},
		{Label: "/rename", Description: "give a title", Value: "rename"},
		{Label: "/retry", Description: "ask again", Value: "retry"},
	}...)
	p.Resize(60, 10)
	shown := func() (got string) {
		for _, r := range p.rows {
			if r.at >= 0 {
				r.text = p.items[p.shown[r.at].item].Value
			}
			got += " " + r.text
		}
		return got
	}
	if got, want := shown(), " Chat attach  More copy"; got != want {
		t.Errorf("the list opens with %q, want %q", got, want)
	}
	press(p, "r", "e")
	if got, want := shown(), " rename retry attach"; got != want {
		t.Errorf("the filter leaves %q, want %q", got, want)
	}
}

func TestScreens(t *testing.T) {
	failed := func(w, h int) *Model {
		p := listOf(w, h, three()...)
		p.Notes = []string{"ollama: does not answer at 127.0.0.1:11434."}
		return p
	}
	var screens uitest.Screens
	for _, c := range []struct {
		name string
		p    *Model
	}{
		{"a list", failed(60, 8)},
		{"a narrow list", failed(18, 4)},
		{"an empty list", listOf(60, 4)},
		{"a list that is asked for", func() *Model {
			p := New(ctx(), Options{Loading: true})
			p.Resize(60, 3)
			return p
		}()},
		{"a filter that leaves nothing", func() *Model { p, _ := press(listOf(60, 4, three()...), "q"); return p }()},
		{"commands", commandList(70)},
		{"commands where their arguments have no room", commandList(36)},
		{"a filter", func() *Model { p, _ := press(listOf(60, 5, three()...), "a", "r"); return p }()},
	} {
		lines, _ := c.p.View()
		screens.Add(c.name, lines)
	}
	screens.Golden(t)
}
