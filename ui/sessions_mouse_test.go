package ui

import (
	"strings"
	"testing"
)

func TestAClickSelectsASessionAndASecondOneOpensIt(t *testing.T) {
	bread := someSessions()[1].ID
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		m := choosing(t, size[0], size[1])
		clickOn(t, m, "Bread with rye")
		if got := atCursor(m); got != bread {
			t.Fatalf("a click on bread chooses %q", got)
		}
		clickOn(t, m, " ›")
		if got := atCursor(m); got != bread || m.dialogs.Top() != m.sessions {
			t.Errorf("a click beside the list chooses %q", got)
		}
		if cmd := clickOn(t, m, "Bread with rye"); cmd == nil || !m.composer.Leaving() {
			t.Error("a second click opens nothing")
		}
	}
}

func TestAClickDoesNotAnswerAPurge(t *testing.T) {
	m := binned(t, 80, 24)
	m.Update(ctrl('d'))
	clickOn(t, m, "Bread with rye #kitchen")
	clickOn(t, m, "Parser rewrite")
	if screen := plain(m); !strings.Contains(screen, "Delete “Bread with rye” permanently?") ||
		atCursor(m) != someSessions()[1].ID {
		t.Errorf("a click took the question away, or moved the cursor:\n%s", plain(m))
	}
}
