package ui

import (
	"slices"
	"strings"
	"testing"

	"winnow/ui/dialog"
	"winnow/ui/keymap"
	"winnow/ui/uitest"
)

// helping is the help over a conversation, with a filter.
func helping(t testing.TB, filter string) *Model {
	m := chatting(t, 120, 40)
	m.Update(uitest.Key("f1"))
	typing(m, filter)
	return m
}

// helpOpen says that the help is on top.
func helpOpen(m *Model) bool { return openedList(m).Also == keymap.Help }

// helped is the line under the cursor of the help.
func helped(m *Model) string {
	c, _ := m.dialogs.Top().(*dialog.Picker).Cursor()
	return c.Label
}

// The help has what docs/chat.md and docs/commands.md are made from, each line once, whatever is on the screen.
func TestHelpListsEveryKeyAndCommandOnce(t *testing.T) {
	keys := keymap.Default()
	var want []string
	for _, b := range keys.Table() {
		want = append(want, strings.Join(b.Keys(), " ")+": "+b.Help().Desc)
	}
	for _, c := range Commands() {
		want = append(want, c.Title()+": "+c.Help)
	}
	slices.Sort(want)
	for name, keysBefore := range map[string][]string{"draft": nil, "transcript": {"tab"}, "panel": {"tab", "tab"}} {
		m := chatting(t, 120, 40)
		for _, key := range append(keysBefore, "f1") {
			m.Update(uitest.Key(key))
		}
		var got []string
		before := true
		for _, c := range openedList(m).Items() {
			if c.Group != "Signs" {
				got = append(got, c.Label+": "+c.About)
			}
			if c.Group == "Here: "+name && !before {
				t.Errorf("%s: %q does not stand in front of the keys of other screens", name, c.Label)
			}
			before = before && c.Group == "Here: "+name
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: the help has\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestHelpIsFilteredByKeyNameAndDescription(t *testing.T) {
	for _, c := range []struct{ filter, want string }{
		{"f3", "f3"},             // a key
		{"take-back", "u"},       // the name of a key's action
		{"last code block", "Y"}, // its description
		{"copy code", "Y"},       // words apart
		{"summarise older", "/compact [off]"},
		{"/persona", "/persona [NAME]"},
		{"recalled", "↺ recalled"},
	} {
		if got := helped(helping(t, c.filter)); got != c.want {
			t.Errorf("the filter %q puts the cursor on %q, want %q", c.filter, got, c.want)
		}
	}
}

func TestCommandsRunFromTheHelp(t *testing.T) {
	m := helping(t, "another budget")
	m.Update(enter)
	if helpOpen(m) || m.Panel.Whatif == nil {
		t.Errorf("the dials are not open:\n%s", plain(m))
	}
	m = helping(t, "/budget")
	m.Update(enter)
	if got := m.composer.Drafted().Text; m.covered() || got != "/budget " {
		t.Errorf("a command that needs words puts %q into the draft:\n%s", got, plain(m))
	}
	m = helping(t, "/export")
	m.Update(tab)
	if got := m.composer.Drafted().Text; m.covered() || got != "/export " {
		t.Errorf("tab puts %q into the draft:\n%s", got, plain(m))
	}
}

// A key that is chosen in the help does nothing but say where it works: the help stays, and so does what is beneath it.
func TestKeysAreExplainedByTheHelp(t *testing.T) {
	for _, c := range []struct{ filter, want string }{
		{"send-cut", "ctrl+y: close the help first."},
		{"shift+tab", "shift+tab: close the help first."},
		{"what-if", "w belongs to another screen: transcript."},
		{"quarantine", "There is nothing to choose; esc closes the list."},
	} {
		m := helping(t, c.filter)
		m.Update(enter)
		if !helpOpen(m) || !strings.Contains(plain(m), c.want) {
			t.Errorf("%s: want %q:\n%s", c.filter, c.want, plain(m))
		}
	}
}

func TestTheFilterOfTheHelpIsCleared(t *testing.T) {
	m := helping(t, "zzz")
	if screen := plain(m); !strings.Contains(screen, "No match for “zzz”. esc clears the filter.") {
		t.Fatalf("the list does not say what esc does:\n%s", screen)
	}
	m.Update(uitest.Key("esc"))
	if !helpOpen(m) || helped(m) != "enter" {
		t.Fatalf("esc does not clear the filter:\n%s", plain(m))
	}
	m.Update(char('?'))
	if m.covered() {
		t.Errorf("a second ? does not close the help:\n%s", plain(m))
	}
}
