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
