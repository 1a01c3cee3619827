package ui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

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

func TestUntilTheSearchIsDoneEnterSaysSo(t *testing.T) {
	m := choosing(t, 120, 40)
	typing(m, "zq")
	if m.Update(enter); !strings.Contains(plain(m), "Still searching for zq.") {
		t.Errorf("before the answer, enter says nothing:\n%s", plain(m))
	}
}

func TestASearchThatFailsSaysWhy(t *testing.T) {
	m := choosing(t, 120, 40)
	typing(m, "zq")
	m.sessions.Found(sessions.Found{
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
