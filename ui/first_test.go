package ui

import (
	"strings"
	"testing"
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
	l.shows("ctrl+s    go on with one of 2 earlier chats")
}
