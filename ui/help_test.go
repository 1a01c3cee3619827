package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/keymap"
	"winnow/ui/uitest"
)

// Whatever is on the screen, the help lists each key and command once, as do docs/chat.md and docs/commands.md.
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
				got = append(got, c.Label+": "+c.Description)
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
		{"copy code", "Y"},       // words that are not adjacent
		{"summarise older", "/compact [off]"},
		{"/persona", "/persona [NAME]"},
		{"recalled", "↺ recalled"},
	} {
		m := chatting(t, 120, 40)
		m.Update(uitest.Key("f1"))
		typing(m, c.filter)
		if got, _ := openedList(m).SelectedItem(); got.Label != c.want {
			t.Errorf("the filter %q puts the cursor on %q, want %q", c.filter, got.Label, c.want)
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
			if !m.dialogs.HelpOpen() || !strings.Contains(screen, c.want) {
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

// screenRows returns the screen without its sentence.
func screenRows(m *Model) string {
	m.notice.ClearSentence()
	return plain(m)
}
