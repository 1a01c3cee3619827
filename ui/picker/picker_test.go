package picker

import (
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

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
	return []Choice{
		{Label: "bread", Right: "4 turns", Value: "1"},
		{Label: "parser", Right: "12 turns", Value: "2"},
		{Label: "partner", Value: "3"},
	}
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

// commandList has one column of descriptions, whatever follows a name.
func commandList(w int) Model {
	p := New(keymap.Default(), Options{Title: "commands", Prompt: "Find a command", Noun: "command", Column: 20})
	p.Resize(w, 6)
	p.Fill([]Choice{
		{Label: "/new", About: "start a new conversation", Right: "ctrl+n", Value: "new"},
		{Label: "/export", Args: "[FORMAT] [FILE]", About: "write the session to a file", Value: "export"},
		{Label: "/copy", Args: "[NUMBERS]", About: "copy messages", Right: "y", Value: "copy"},
	})
	return p
}

func TestOnlyTheSelectedNameIsBold(t *testing.T) {
	p := commandList(70)
	lines, _ := p.View(theme.New(theme.Dark, theme.Palette{}, colorprofile.TrueColor))
	bold := regexp.MustCompile(`\x1b\[1[;m]`)
	for i, want := range []bool{true, false, false} {
		if line := lines[2+i]; bold.MatchString(line) != want {
			t.Errorf("line %d has bold text: %v, want %v: %q", i, !want, want, line)
		}
	}
}

func TestTheWidthShowsEveryChoiceWhole(t *testing.T) {
	p := commandList(200)
	p.Column = 24
	p.Fill(p.choices)
	p.Resize(p.Width(), 6)
	for _, line := range strings.Split(uitest.Plain(first(p.View(theme.New(theme.None, theme.Palette{}, 0)))), "\n") {
		if strings.Contains(line, "…") {
			t.Errorf("at its own width the list cuts %q", line)
		}
	}
	if w := p.Width(); w < 60 || w > 66 {
		t.Errorf("the list wants %d cells", w)
	}
}

func TestTheStateSaysWhatTheFilterSearches(t *testing.T) {
	p := commandList(70)
	before := p.State()
	p, _ = press(p, "n")
	plain, _ := press(listOf(40, 10, three()...), "p")
	remarked := plain
	remarked.Remark = "3 offered"
	if before != "" || p.State() != "matches names and descriptions" || plain.State() != "models" ||
		remarked.State() != "3 offered" {
		t.Errorf("the list says %q, with a filter %q, without descriptions %q, and with a remark %q", before, p.State(),
			plain.State(), remarked.State())
	}
}

func TestTheFirstGroupHasOnlyNamesWhereItLeads(t *testing.T) {
	p := New(keymap.Default(), Options{Leads: true})
	p.Resize(60, 10)
	p.Fill([]Choice{
		{Label: "/attach", About: "attach a page by its address", Group: "Recent", Value: "attach"},
		{Label: "/retry", About: "ask again", Group: "Recent", Value: "retry"},
		{Label: "/rename", About: "give a title", Group: "All", Value: "rename"},
		{Label: "/new", About: "start anew", Group: "All", Value: "new"},
	})
	p, _ = press(p, "r", "e")
	got := ""
	for _, r := range p.rows() {
		got += " " + r.group
		if r.at >= 0 {
			got += p.choices[p.shown[r.at].choice].Value
		}
	}
	if want := " Recent retry  All rename attach"; got != want {
		t.Errorf("the list is %q, want %q", got, want)
	}
}

// first is the first of two.
func first(lines []string, _ int) []string { return lines }

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
		{"a list that is asked for", func() Model {
			p := New(keymap.Default(), Options{Loading: true})
			p.Resize(60, 3)
			return p
		}()},
		{"a filter that leaves nothing", func() Model { p, _ := press(listOf(60, 4, three()...), "q"); return p }()},
		{"commands", commandList(70)},
		{"commands where their arguments have no room", commandList(36)},
		{"a filter", func() Model { p, _ := press(listOf(60, 5, three()...), "a", "r"); return p }()},
	} {
		lines, _ := c.p.View(st)
		screens.Add(c.name, lines)
	}
	screens.Golden(t)
}
