package ui

import (
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/llm"
	"winnow/ui/current"
	"winnow/ui/inspector"
	"winnow/ui/settings"
	"winnow/ui/uitest"
)

func TestMessagesOfTheRequestCollapse(t *testing.T) {
	const secondAnswer = "Never touch generated files."
	for _, key := range []string{"enter", "space", "ctrl+o"} {
		m := inspectingRequest(inspector.TextView)(t, 120, 40)
		for range 3 { // to message 3
			m.Update(uitest.Key("J"))
		}
		m.Update(uitest.Key(key))
		screen := plain(m)
		if !strings.Contains(screen, "▌    4  user       message 3   28 characters · "+secondAnswer) || strings.Count(screen, secondAnswer) != 1 {
			t.Errorf("%s did not collapse message 3:\n%s", key, screen)
		}
		if !strings.Contains(screen, "     5  assistant  message 4\n") || !strings.Contains(screen, "Understood.") {
			t.Errorf("%s collapsed more than message 3:\n%s", key, screen)
		}
		m.Update(uitest.Key(key))
		if screen := plain(m); !strings.Contains(screen, "▌    4  user       message 3\n") {
			t.Errorf("a second %s did not expand message 3:\n%s", key, screen)
		}
	}
}

// collapsed counts the messages of the request that are collapsed to a row, which says how long they are.
func collapsed(screen string) int {
	return len(regexp.MustCompile(`(?m)^[▌ ] +[0-9]+  [a-z]+ .*   [0-9]+ characters`).FindAllString(screen, -1))
}

func TestAllMessagesOfTheRequestCollapseAtOnce(t *testing.T) {
	m := inspectingRequest(inspector.TextView)(t, 120, 40)
	expanded := m.inspector.Content().Text()
	m.Update(uitest.Key("O"))
	screen := plain(m)
	if n := collapsed(screen); n != 12 {
		t.Errorf("%d of 12 messages are collapsed:\n%s", n, screen)
	}
	if got := m.inspector.Content().Text(); got != expanded {
		t.Errorf("the collapsed request is copied as\n%s\nwant all of it:\n%s", got, expanded)
	}
	for range 11 {
		m.Update(uitest.Key("J"))
	}
	if screen := plain(m); !strings.Contains(screen, "▌   12  user       your draft   34 characters") {
		t.Errorf("J did not go to the last message:\n%s", screen)
	}
	m.Update(uitest.Key("J"))
	if m.notice.Sentence() != "This is the last message." {
		t.Errorf("J on the last message said %q", m.notice.Sentence())
	}
	m.Update(uitest.Key("enter"))
	m.Update(uitest.Key("O")) // not all of them are collapsed
	if n := collapsed(plain(m)); n != 12 {
		t.Errorf("%d of 12 messages are collapsed after one was expanded:\n%s", n, plain(m))
	}
	m.Update(uitest.Key("O"))
	if collapsed(plain(m)) > 0 {
		t.Errorf("a message is still collapsed:\n%s", plain(m))
	}
}

// What is collapsed stays so when the request is planned anew, and when another view was shown.
func TestCollapsedMessagesStayCollapsed(t *testing.T) {
	m := inspectingRequest(inspector.TextView)(t, 120, 40)
	m.Update(uitest.Key("J"))
	m.Update(uitest.Key("enter"))
	want := "    2  user       message 1   27 characters"
	_, plan := inspected(t)
	m.Update(current.PlannedMsg{Generation: m.current.Generation, Planned: current.Planned{Plan: plan}})
	if !strings.Contains(plain(m), "▌"+want) {
		t.Errorf("a new plan expanded the message or took the selection:\n%s", plain(m))
	}
	m.Update(uitest.Key("tab"))
	m.Update(uitest.Key("shift+tab"))
	if !strings.Contains(plain(m), want) {
		t.Errorf("another view expanded the message:\n%s", plain(m))
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
		{"the what-if settings", "setting", inPanel("w")},
		{"the repairs", "Here: repairs", inPanel("m")},
		{"the palette", "Here: commands", inPanel("ctrl+p")},
		{"the models", "Here: model", inPanel("ctrl+l")},
		{"the sessions", "Here: sessions", inPanel("ctrl+s")},
		{"a message", "Here: inspector", inPanel("enter")},
		{"the request", "Here: whole request", inspectingRequest(inspector.TextView)},
		{"the body", "Here: whole request", bodyShown},
		{"the past", "Here: inspector", verdictsOn(6, inspector.PastView)},
		{"a text", "scroll", func(t testing.TB, w, h int) *Model {
			m := chatting(t, w, h)
			m.overlays.open(newReader("a text", "what was pasted"))
			return m
		}},
	} {
		for _, key := range []string{"?", "f1"} {
			m := c.make(t, 80, 24)
			at, before := m.overlays.top(), screenRows(m)
			if at == nil {
				t.Fatalf("%s is not open:\n%s", c.name, plain(m))
			}
			m.Update(uitest.Key(key))
			screen := plain(m)
			if !isHelp(m.overlays.top()) || !strings.Contains(screen, "  Here: ") || !strings.Contains(screen, c.want) {
				t.Errorf("%s over %s: want the help with its keys:\n%s", key, c.name, screen)
			}
			m.Update(tea.WindowSizeMsg{Width: 90, Height: 30})
			m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
			m.Update(uitest.Key("esc"))
			if after := screenRows(m); m.overlays.top() != at || after != before {
				t.Errorf("%s over %s: closing the help goes to overlay %d, want %d:\n%s\nwant\n%s", key, c.name, m.overlays.top(), at, after, before)
			}
		}
	}
}

// screenRows is the screen without the notices that come and go.
func screenRows(m *Model) string {
	m.notice.Hush()
	return plain(m)
}

// The dials are applied while the help covers them: closing the help goes to the panes.
func TestHelpOverDialsThatAreGone(t *testing.T) {
	m := chatting(t, 80, 24)
	m.Update(uitest.Key("ctrl+x"))
	m.Update(uitest.Key("w"))
	m.Update(uitest.Key("?"))
	m.Update(appliedMsg{session: m.current.Session, sentence: "Set."})
	if !isHelp(m.overlays.top()) {
		t.Errorf("the help was closed:\n%s", plain(m))
	}
	m.Update(uitest.Key("esc"))
	if m.panel.Whatif != nil || m.overlays.has(whatifOverlay{}) || !m.overlays.onTop(panelOverlay{}) {
		t.Errorf("overlay %d after the help, want the panel:\n%s", m.overlays.top(), plain(m))
	}
	m.Update(uitest.Key("down"))
}

// A list that arrives while the help covers it is there when the help is closed.
func TestListsArriveBeneathTheHelp(t *testing.T) {
	t.Parallel()
	m := chatting(t, 120, 40)
	m.Update(uitest.Key("ctrl+l"))
	m.Update(uitest.Key("?"))
	m.Update(settings.ModelsMsg{Models: []llm.Model{{Endpoint: "openai", ID: "late-model"}}})
	m.Update(uitest.Key("?"))
	if !strings.Contains(plain(m), "late-model") {
		t.Errorf("the models did not arrive:\n%s", plain(m))
	}
	l := onStage(t, 120, 40)
	l.say("A question that names the session.")
	cmd := l.openSessions("")
	l.press("?")
	l.run(cmd)
	l.press("esc")
	l.shows("A question that names the session")
	l.until("the list", func() bool { _, ok := l.sessions.Chosen(); return ok })
}

// A question mark behind other text is text.
func TestQuestionMarkIsTextInAFilter(t *testing.T) {
	m := chatting(t, 80, 24)
	m.Update(uitest.Key("ctrl+p"))
	typing(m, "a?")
	if l := openedList(m); l.Title != "commands" || l.Filter() != "a?" {
		t.Errorf("%q with the filter %q, want the palette with a?", l.Title, l.Filter())
	}
}
