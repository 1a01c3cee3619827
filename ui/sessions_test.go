package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/list"
	"winnow/ui/theme"
)

// listItems are the entries in the list of sessions, from the top.
func listItems(m *Model) (items []list.Item) {
	l := m.sessions.List
	if l == nil {
		return nil
	}
	at, _ := l.Cursor()
	l.Move(-l.Len())
	for range l.Shown() {
		item, _ := l.Cursor()
		items = append(items, item)
		l.Move(1)
	}
	l.Select(at.Value)
	return items
}

// nameIn is the title in the label of an entry.
func nameIn(item list.Item) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(item.Label, theme.ForkMark+" "), " #")
	return name
}

// titles are the titles in the list, from the top.
func titles(m *Model) []string {
	var out []string
	for _, item := range listItems(m) {
		if item.Group == "" {
			out = append(out, nameIn(item))
		}
	}
	return out
}

// atCursor is the value of the entry under the cursor: the id of a session, or what stands for a message.
func atCursor(m *Model) string {
	item, _ := m.sessions.List.Cursor()
	return item.Value
}

// keep stores sessions with a message each, the last of them used last.
func (l *live) keep(titles ...string) map[string]store.Session {
	l.t.Helper()
	kept := map[string]store.Session{}
	for _, title := range titles {
		s, _, err := l.With.Store.Begin(l.t.Context(), store.Session{
			Title: title, Endpoint: "here", Model: "small",
		},
			store.Message{
				Message: history.Message{Role: history.User, Content: "About " + title + ".", Status: history.Complete},
			})
		if err != nil {
			l.t.Fatal(err)
		}
		kept[title] = s
	}
	return kept
}

// lists waits until all acts are done and the list shows these titles.
func (l *live) lists(want ...string) {
	l.t.Helper()
	l.until(fmt.Sprintf("the list %q", want), func() bool {
		return l.settled() && slices.Equal(titles(l.Model), want)
	})
}

// settled says that the list is read, and that nothing is being done to a session.
func (l *live) settled() bool { return l.sessions.Pending == 0 && l.sessions.Position() != "" }

// on fails where the cursor is not on a session.
func (l *live) on(title string) {
	l.t.Helper()
	if item, _ := l.sessions.List.Cursor(); nameIn(item) != title {
		l.t.Fatalf("the cursor is on %q, want %q:\n%s", nameIn(item), title, plain(l.Model))
	}
}

// stored is a session as its file has it.
func (l *live) stored(id string) store.Session {
	l.t.Helper()
	s, err := l.With.Store.Session(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func TestTheFirstScreenIsTheListWithItsFilter(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.keep("bread", "parser")
	l.first = func() tea.Cmd { return l.welcome(Options{Screen: SessionsScreen, Filter: "bre"}) }
	l.run(l.Init())
	l.lists("bread")
}

func TestASessionOpenInAnotherWindowSaysSo(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread", "parser")
	other, err := store.Open(t.Context(), l.With.Store.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	_, release, err := other.Lease(t.Context(), kept["bread"].ID)
	if err != nil {
		t.Fatal(err)
	}
	l.press("ctrl+s")
	l.lists("parser", "bread")
	if screen := plain(l.Model); strings.Contains(screen, "parser   open in another window") ||
		!strings.Contains(screen, "bread   open in another window") {
		t.Fatalf("the list does not say which session another window has open:\n%s", plain(l.Model))
	}
	l.press("down", "ctrl+d")
	l.shows("This chat is open in another window; close it there first.")
	if !l.stored(kept["bread"].ID).Deleted.IsZero() {
		t.Error("it is in the trash")
	}
	release()
	l.press("esc", "ctrl+s")
	l.lists("parser", "bread")
	if strings.Contains(plain(l.Model), "bread   open in another window") {
		t.Errorf("it is still open elsewhere:\n%s", plain(l.Model))
	}
}
