package ui

import (
	"testing"
)

func TestAClickSelectsASessionAndASecondOneOpensIt(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}} {
		m := choosing(t, size[0], size[1])
		clickOn(t, m, "Bread with rye")
		if s, _ := m.sessions.Chosen(); s.Name() != "Bread with rye" {
			t.Fatalf("a click on bread chooses %q", s.Name())
		}
		clickOn(t, m, "started") // below the list
		clickOn(t, m, " ›")
		if s, _ := m.sessions.Chosen(); s.Name() != "Bread with rye" || !m.overlays.onTop(sessionsOverlay{}) {
			t.Errorf("a click beside the list chooses %q", s.Name())
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
	if s, _ := m.sessions.Chosen(); m.sessions.Purge == nil || s.ID != m.sessions.Purge.ID {
		t.Errorf("a click took the question away, or moved the cursor:\n%s", plain(m))
	}
}
