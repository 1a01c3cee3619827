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
	l.until("the hits", func() bool { return !l.sessions.Texts.Waiting && l.sessions.Texts.Text == l.sessions.Filter.Text })
	if got := len(l.sessions.Texts.Hits); got != want {
		l.t.Fatalf("%q has %d hits, want %d:\n%s", l.sessions.Filter.Text, got, want, plain(l.Model))
	}
}

func TestAllMessagesAreSearchedWhileTyping(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.keep("bread", "parser")
	l.press("ctrl+s")
	l.lists("parser", "bread")
	l.press("tab")
	l.shows("type what was said")
	l.types("abou")
	l.hits(2)
	l.types("t bread")
	l.hits(1)
	l.shows("About bread.")
	l.types("crumbs")
	l.hits(0)
	l.shows("no message has about breadcrumbs")
	l.press("enter")
	l.shows("There is nothing to open")
	l.press("tab") // the filter stays
	if got := l.sessions.Filter.Text; got != "about breadcrumbs" || l.sessions.Texts.On {
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
	m.Update(sessions.FoundMsg{Search: m.sessions.Texts.Searches, Text: "a", Err: errors.New("search the messages: the disk is gone")})
	if !strings.Contains(plain(m), "the disk is gone") || m.sessions.Texts.Waiting {
		t.Errorf("the error is not shown:\n%s", plain(m))
	}
}

func TestASearchIsRepeatedWhileTheIndexIsBehind(t *testing.T) {
	m := foundTexts(t, 120, 40)
	was, _ := m.sessions.Texts.Chosen()
	m.upkeep.Unindexed = 5
	hits := append([]store.Hit{{Message: 99, Role: history.User, Snippet: "a newer one"}}, m.sessions.Texts.Hits...)
	_, cmd := m.Update(sessions.FoundMsg{Search: m.sessions.Texts.Searches, Text: m.sessions.Filter.Text, Hits: hits})
	if now, _ := m.sessions.Texts.Chosen(); cmd == nil || now.Message != was.Message {
		t.Errorf("the cursor went from message %d to %d; repeated: %v", was.Message, now.Message, cmd != nil)
	}
	if !strings.Contains(plain(m), "5 messages are not in the search index yet") {
		t.Errorf("nothing says that the index is behind:\n%s", plain(m))
	}
	m.upkeep.Unindexed = 0
	if _, cmd := m.Update(sessions.FoundMsg{Search: m.sessions.Texts.Searches, Text: m.sessions.Filter.Text, Hits: hits}); cmd != nil {
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
	l.shows("Its session is in the trash; tab shows the trash, and ctrl+r brings it back.")
	l.press("tab")
	l.lists("bread")
	l.press("ctrl+r")
	l.lists()
	l.press("tab", "shift+tab")
	l.hits(1)
}

func TestKeysOfTheListDoNothingToAHit(t *testing.T) {
	m := foundTexts(t, 120, 40)
	for _, key := range []string{"ctrl+d", "delete", "ctrl+e", "ctrl+t", "ctrl+p", "ctrl+a", "ctrl+r"} {
		m.Update(uitest.Key(key))
		if len(m.sessions.Actions) > 0 || m.sessions.Edit != nil || !strings.Contains(plain(m), key+" is for sessions; tab goes back to their list.") {
			t.Fatalf("%s in the hits:\n%s", key, plain(m))
		}
	}
}
