package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/dialog"
	"winnow/ui/inspector"
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

func TestHelpOpensOverEveryOverlay(t *testing.T) {
	inPanel := func(key string) func(t testing.TB, w, h int) *Model {
		return func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.Update(uitest.Key("ctrl+x"))
			if key != "" {
				m.Update(uitest.Key(key))
			}
			return m
		}
	}
	for _, c := range []struct {
		name, want string
		make       func(t testing.TB, w, h int) *Model
	}{
		{"the panel", "Here: panel", inPanel("")},
		{"the what-if settings", "Here: panel", inPanel("w")},
		{"the repairs", "Here: repairs", inPanel("m")},
		{"the palette", "Here: commands", inPanel("ctrl+p")},
		{"the models", "Here: model", inPanel("ctrl+l")},
		{"the chats", "Here: chats", inPanel("ctrl+s")},
		{"a message", "Here: inspector", inPanel("enter")},
		{"the request", "Here: whole request", inspectingRequest(inspector.TextView)},
		{"the body", "Here: whole request", bodyShown},
		{"the past", "Here: inspector", verdictsOn(6)},
		{"a text", "Everywhere", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.dialogs.OpenText("a text", "what was pasted")
			return m
		}},
	} {
		for _, key := range []string{"?", "f1"} {
			m := c.make(t, 80, 24)
			at, before := m.dialogs.Top(), screenRows(m)
			m.Update(uitest.Key(key))
			screen := plain(m)
			if !helpOpen(m) || !strings.Contains(screen, c.want) {
				t.Errorf("%s over %s: want the help with its keys:\n%s", key, c.name, screen)
			}
			m.Update(tea.WindowSizeMsg{Width: 90, Height: 30})
			m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
			m.Update(uitest.Key("esc"))
			if after := screenRows(m); m.dialogs.Top() != at || after != before {
				t.Errorf("%s over %s: closing the help goes to overlay %d, want %d:\n%s\nwant\n%s", key, c.name,
					m.dialogs.Top(), at, after, before)
			}
		}
	}
}

// screenRows is the screen without the notices that come and go.
func screenRows(m *Model) string {
	m.notice.ClearSentence()
	return plain(m)
}
