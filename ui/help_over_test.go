package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/inspector"
	"winnow/ui/uitest"
)

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
		{"the past", "Here: inspector", verdictsOn(6, inspector.PastView)},
		{"a text", "Everywhere", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.dialogs.Read("a text", "what was pasted")
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
	m.notice.Hush()
	return plain(m)
}

// A question mark behind other text is text.
func TestQuestionMarkIsTextInAFilter(t *testing.T) {
	m := chatting(t, 80, 24)
	m.Update(uitest.Key("ctrl+p"))
	typing(m, "a?")
	if l := openedList(m); l.Title != "commands" || l.Filter.Text() != "a?" {
		t.Errorf("%q with the filter %q, want the palette with a?", l.Title, l.Filter.Text())
	}
}
