package ui

import (
	"errors"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/sessions"
	"winnow/ui/uitest"
)

// hits waits until the search for what is typed is answered, and fails where it did not find so many.
func (l *live) hits(want int) {
	l.t.Helper()
	l.until("the hits", func() bool {
		return !l.sessions.Texts.Waiting && l.sessions.Texts.Text == l.sessions.Filter.Text()
	})
	if got := len(l.sessions.Texts.Hits); got != want {
		l.t.Fatalf("%q has %d hits, want %d:\n%s", l.sessions.Filter.Text(), got, want, plain(l.Model))
	}
}

func TestAllMessagesAreSearchedWhileTyping(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.keep("bread", "parser")
	l.press("ctrl+s")
	l.lists("parser", "bread")
	l.press("tab")
	l.shows("Type words from any message.")
	l.types("abou")
	l.hits(2)
	l.types("t bread")
	l.hits(1)
	l.shows("About bread.")
	l.types("crumbs")
	l.hits(0)
	l.shows("No match for “about breadcrumbs”. esc clears the filter.")
	l.press("enter")
	l.shows("There is nothing to open")
	l.press("tab") // the filter stays
	if got := l.sessions.Filter.Text(); got != "about breadcrumbs" || l.sessions.Texts.On {
		t.Errorf("back at the titles the filter is %q:\n%s", got, plain(l.Model))
	}
}

func TestLateHitsAreDropped(t *testing.T) {
	m := choosing(t, 120, 40)
	m.Update(tab)
	typing(m, "a")
	m.Update(sessions.SearchDueMsg{Search: m.sessions.Texts.Searches})
	late := m.sessions.Texts.Searches
	typing(m, "b")
	if _, cmd := m.Update(sessions.SearchDueMsg{Search: late}); cmd != nil {
		t.Error("a text that was typed on is looked for")
	}
	hit := store.Hit{Message: 1, Role: history.User, Snippet: "a late hit"}
	m.Update(sessions.FoundMsg{Search: late, Text: "a", Hits: []store.Hit{hit}})
	if len(m.sessions.Texts.Hits) > 0 || !m.sessions.Texts.Waiting {
		t.Errorf("the hits of a text that was typed on are shown:\n%s", plain(m))
	}
	m.Update(enter)
	if !strings.Contains(plain(m), "Still searching for ab.") {
		t.Errorf("before the answer, enter says nothing:\n%s", plain(m))
	}
	now := m.sessions.Texts.Searches
	m.Update(tab)
	m.Update(sessions.FoundMsg{Search: now, Text: "ab", Hits: []store.Hit{hit}})
	if len(m.sessions.Texts.Hits) > 0 {
		t.Error("hits arrive after the search was left")
	}
}

func TestASearchThatFailsSaysWhy(t *testing.T) {
	m := choosing(t, 120, 40)
	m.Update(tab)
	typing(m, "a")
	m.Update(sessions.FoundMsg{
		Search: m.sessions.Texts.Searches, Text: "a", Err: errors.New("search the messages: the disk is gone"),
	})
	if !strings.Contains(plain(m), "the disk is gone") || m.sessions.Texts.Waiting {
		t.Errorf("the error is not shown:\n%s", plain(m))
	}
}

func TestASearchIsRepeatedWhileTheIndexIsBehind(t *testing.T) {
	m := foundTexts(t, 120, 40)
	was, _ := m.sessions.Texts.Chosen()
	m.upkeep.Unindexed = 5
	hits := append([]store.Hit{{Message: 99, Role: history.User, Snippet: "a newer one"}}, m.sessions.Texts.Hits...)
	_, cmd := m.Update(sessions.FoundMsg{Search: m.sessions.Texts.Searches, Text: m.sessions.Filter.Text(), Hits: hits})
	if now, _ := m.sessions.Texts.Chosen(); cmd == nil || now.Message != was.Message {
		t.Errorf("the cursor went from message %d to %d; repeated: %v", was.Message, now.Message, cmd != nil)
	}
	if !strings.Contains(plain(m), "5 messages are not in the search index yet") {
		t.Errorf("nothing says that the index is behind:\n%s", plain(m))
	}
	m.upkeep.Unindexed = 0
	if _, cmd := m.Update(sessions.FoundMsg{
		Search: m.sessions.Texts.Searches, Text: m.sessions.Filter.Text(),
		Hits: hits,
	}); cmd != nil {
		t.Error("the search goes on with a whole index")
	}
}

func TestTheTrashIsSearchedOnItsShelf(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread")
	if err := l.current.With.Store.Delete(t.Context(), kept["bread"].ID); err != nil {
		t.Fatal(err)
	}
	l.press("ctrl+s")
	l.lists()
	l.press("tab")
	l.types("bread")
	l.hits(0)
	l.press("shift+tab", "shift+tab")
	l.hits(1)
	l.shows("in the trash")
	l.press("enter")
	l.shows("Its session is in the trash; ctrl+r restores it first.")
	l.press("tab")
	l.lists("bread")
	l.press("ctrl+r")
	l.lists()
	l.press("tab", "shift+tab")
	l.hits(1)
}

// Of a session with many hits a few are listed, with a line for the others; enter on that lists them all.
func TestHitsOfOneSessionAreFolded(t *testing.T) {
	m := foundTexts(t, 120, 40)
	if screen := plain(m); strings.Contains(screen, "Nothing of the grammar") ||
		!strings.Contains(screen, "2 more in this session") {
		t.Fatalf("of five hits three are to be listed:\n%s", screen)
	}
	for range 2 {
		m.Update(uitest.Key("down"))
	}
	m.Update(enter)
	if hit, _ := m.sessions.Texts.Chosen(); hit.Message != 8 || !strings.Contains(plain(m), "Nothing of the grammar") ||
		strings.Contains(plain(m), "more in this session") {
		t.Fatalf("the cursor is on message %d, want 8, the first that was not listed:\n%s", hit.Message, plain(m))
	}
	m.Update(uitest.Key("end")) // in the filter
	for range 20 {
		m.Update(uitest.Key("down"))
	}
	if hit, _ := m.sessions.Texts.Chosen(); hit.Message != 77 {
		t.Errorf("the last hit is message %d, want 77", hit.Message)
	}
}

// What is found is shown with its verdict in the last request, and below it as it is stored.
func TestAHitIsPreviewed(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("Where do walruses live?")
	l.say("And whales?")
	l.press("ctrl+s", "tab")
	l.types("walruses")
	l.until("the hit", func() bool { return !l.sessions.Texts.Waiting && len(l.sessions.Texts.Hits) > 0 })
	l.shows("1  you  ● Where do walruses live?")
	l.shows("1 of 4 · ")
	l.shows("▌ Where do walruses live?")
	l.press("tab")
	l.shows("4 of 4 · ") // the end of the conversation
}
