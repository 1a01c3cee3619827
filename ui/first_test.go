package ui

import (
	"strings"
	"testing"

	"winnow/llm"
)

// The first screen says how many chats there are, and none of a chat that is there already.
func TestFirstScreenCountsEarlierChats(t *testing.T) {
	t.Parallel()
	l := onStage(t, 100, 30)
	if screen := plain(l.Model); strings.Contains(screen, "earlier chat") {
		t.Errorf("there are earlier chats before the first:\n%s", screen)
	}
	l.keep("One", "Two")
	l.press("ctrl+n")
	l.shows("ctrl+s  2 earlier chats        winnow -c  the last one")
}

// A window that nobody knows is said to be assumed.
func TestFirstScreenSaysThatTheWindowIsAssumed(t *testing.T) {
	t.Parallel()
	for window, says := range map[int]bool{0: true, 4096: false} {
		l := onStage(t, 100, 30)
		l.talksTo(llm.Endpoint{
			Name: "here", BaseURL: l.current.With.Models.Endpoints()[0].BaseURL, Default: "small", Window: window,
		})
		l.shows("Nothing is cut while everything fits.")
		if screen := plain(l.Model); strings.Contains(screen,
			"Context window unknown; assuming 8,192 (/window to set).") != says {
			t.Errorf("with a window of %d the first screen is\n%s", window, screen)
		}
	}
}
