package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"winnow/history"
	"winnow/session/store"
	"winnow/ui/sessions"
	"winnow/ui/uitest"
)

// found are the entries that stand for messages.
func found(m *Model) (values []string) {
	for _, item := range listItems(m) {
		if item.Group != "" {
			values = append(values, item.Value)
		}
	}
	return values
}

// hits waits until the search for what is typed has found so many messages.
func (l *live) hits(want int) {
	l.t.Helper()
	l.until(fmt.Sprintf("%d messages", want), func() bool {
		return !strings.Contains(plain(l.Model), "Searching…") && len(found(l.Model)) == want
	})
}

// Titles are found at once, and below them the messages that hold the words.
func TestTitlesAndMessagesAreFoundInOneList(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	kept := l.keep("bread", "parser")
	l.press("ctrl+s")
	l.lists("parser", "bread")
	l.types("abou")
	l.hits(2)
	if got := titles(l.Model); len(got) != 0 {
		t.Errorf("the titles %q are listed", got)
	}
	l.press("ctrl+u")
	l.lists("parser", "bread")
	l.types("bread")
	l.hits(1)
	l.lists("bread")
	l.shows("About bread.")
	if got := atCursor(l.Model); got != kept["bread"].ID {
		t.Errorf("the cursor went to %q when the message came", got)
	}
	l.types("crumbs")
	l.shows("No match for “breadcrumbs”. esc clears the filter.")
	l.press("enter")
	l.shows("There is nothing to open")
	l.press("esc")
	l.lists("parser", "bread")
}

func TestLateHitsAreDropped(t *testing.T) {
	m := choosing(t, 120, 40)
	typing(m, "z")
	late := m.sessions.Searching
	typing(m, "q")
	hit := store.Hit{Message: 1, Role: history.User, Snippet: "a late hit"}
	m.sessions.Found(late, sessions.Found{Text: "z", Hits: []store.Hit{hit}})
	if len(found(m)) > 0 || !strings.Contains(plain(m), "Searching…") {
		t.Errorf("the hits of a text that was typed on are shown:\n%s", plain(m))
	}
	m.Update(enter)
	if !strings.Contains(plain(m), "Still searching for zq.") {
		t.Errorf("before the answer, enter says nothing:\n%s", plain(m))
	}
	now := m.sessions.Searching
	m.Update(esc)
	m.sessions.Found(now, sessions.Found{Text: "zq", Hits: []store.Hit{hit}})
	if len(found(m)) > 0 {
		t.Error("hits arrive after the filter was cleared")
	}
}

func TestASearchThatFailsSaysWhy(t *testing.T) {
	m := choosing(t, 120, 40)
	typing(m, "zq")
	m.sessions.Found(m.sessions.Searching, sessions.Found{
		Text: "zq", Err: errors.New("search the messages: the disk is gone"),
	})
	if screen := plain(m); !strings.Contains(screen, "the disk is gone") || strings.Contains(screen, "Searching…") {
		t.Errorf("the error is not shown:\n%s", screen)
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
	l.types("bread")
	l.shows("No match for “bread”.")
	l.press("shift+tab", "shift+tab")
	l.hits(1)
	l.shows("in the trash")
	l.press("down", "enter")
	l.shows("It is in the trash; ctrl+a restores it first.")
	l.press("ctrl+a")
	l.lists()
	l.press("shift+tab")
	l.hits(1)
}

// Of a session with many hits the best few are listed.
func TestHitsOfOneSessionAreFew(t *testing.T) {
	m := foundTexts(t, 120, 40)
	if screen := plain(m); strings.Contains(screen, "Nothing of the grammar") {
		t.Fatalf("of five hits three are to be listed:\n%s", screen)
	}
	for range 20 {
		m.Update(uitest.Key("down"))
	}
	if got := atCursor(m); got != "message 77" {
		t.Errorf("the last hit is %s, want message 77", got)
	}
}

// What is found is shown with its verdict in the last request, and below it as it is stored.
func TestAHitIsPreviewed(t *testing.T) {
	t.Parallel()
	l := onStage(t, 120, 40)
	l.say("Where do walruses live?")
	l.say("And whales?")
	l.press("ctrl+s")
	l.types("walruses")
	l.hits(1)
	l.shows("4 of 4 · ") // the end of the conversation, whose title has the word
	l.press("down")
	l.shows("1  you   ● Where do walruses live?")
	l.shows("1 of 4 · ")
	l.shows("▌ Where do walruses live?")
}
