package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/sessions"
	"winnow/ui/theme"
	"winnow/ui/uitest"
)

// titles are the titles in the list, from the top.
func titles(l *sessions.Model) []string {
	var out []string
	for _, x := range l.Matches {
		out = append(out, l.Lines[x.Line].Name())
	}
	return out
}

// keep stores sessions with a message each, the last of them used last.
func (l *live) keep(titles ...string) map[string]store.Session {
	l.t.Helper()
	kept := map[string]store.Session{}
	for _, title := range titles {
		s, _, err := l.current.With.Store.Begin(l.t.Context(), store.Session{
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
		s := &l.sessions
		return len(s.Actions) == 0 && s.Whole && slices.Equal(titles(s), want)
	})
}

// on fails where the cursor is not on a session.
func (l *live) on(title string) {
	l.t.Helper()
	if s, ok := l.sessions.Chosen(); !ok || s.Name() != title {
		l.t.Fatalf("the cursor is on %q, want %q:\n%s", s.Name(), title, plain(l.Model))
	}
}

// stored is a session as its file has it.
func (l *live) stored(id string) store.Session {
	l.t.Helper()
	s, err := l.current.With.Store.Session(l.t.Context(), id)
	if err != nil {
		l.t.Fatal(err)
	}
	return s
}

func TestSessionsAreListedByLastUseWithPinnedOnesOnTop(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.keep("bread", "parser", "cellar")
	l.press("ctrl+s")
	l.lists("cellar", "parser", "bread")
	l.press("down", "down", "ctrl+p")
	l.lists("bread", "cellar", "parser")
	l.on("bread")
	l.press("ctrl+p")
	l.lists("cellar", "parser", "bread")
	l.on("bread")
}

func TestResumeOpensTheListFiltered(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"/resume", "/sessions", "/continue"} {
		l := onStage(t, 120, 40)
		kept := l.keep("bread", "parser")
		l.types(name + " bre")
		l.press("enter")
		l.lists("bread")
		l.press("enter")
		l.until("the session", func() bool { return l.current.Info.ID == kept["bread"].ID })
		if l.overlays.any() || !l.composer.Empty() {
			t.Errorf("%s: the session is not alone on the screen:\n%s", name, plain(l.Model))
		}
	}
}

func TestALateListIsDropped(t *testing.T) {
	m := fresh(t, 120, 40)
	m.Update(ctrl('s'))
	late := m.sessions.Asked
	m.Update(uitest.Key("shift+tab"))
	m.Update(sessions.ListedMsg{
		Asked: late, Lines: sessions.SessionLines(theme.Secrets{}, someSessions()), At: begun, Whole: true,
	})
	if len(m.sessions.Lines) > 0 {
		t.Errorf("the archive shows the sessions in use:\n%s", plain(m))
	}
}

func TestTheRestOfALongListFollowsItsFirstPage(t *testing.T) {
	m := fresh(t, 120, 40)
	m.Update(ctrl('s'))
	typing(m, "session")
	_, cmd := m.Update(sessions.ListedMsg{Asked: m.sessions.Asked, Lines: manyLines(sessions.FirstPage), At: begun})
	if cmd == nil || len(m.sessions.Matches) != sessions.FirstPage || m.sessions.Position() != "200+ sessions" {
		t.Fatalf("after the first page %d lines, place %q, more is asked: %v", len(m.sessions.Matches),
			m.sessions.Position(), cmd != nil)
	}
	m.Update(uitest.Key("down"))
	was, _ := m.sessions.Chosen()
	m.Update(sessions.ListedMsg{Asked: m.sessions.Asked, Lines: manyLines(3000), At: begun, Whole: true})
	if now, _ := m.sessions.Chosen(); now.ID != was.ID || len(m.sessions.Matches) != 3000 {
		t.Errorf("the cursor went from %s to %s, and the list has %d lines", was.ID, now.ID, len(m.sessions.Matches))
	}
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
	other, err := store.Open(t.Context(), l.current.With.Store.Path(), store.Options{})
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
	if l.sessions.Lines[0].Leased || !strings.Contains(plain(l.Model), "bread   open in another window") {
		t.Fatalf("the list does not say which session another window has open:\n%s", plain(l.Model))
	}
	l.press("down", "ctrl+d")
	l.shows("This session is open in another window; close it there first.")
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
