package ui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"winnow/ui/settings"
	"winnow/ui/theme"
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

func TestAClickSelectsAHit(t *testing.T) {
	for _, left := range []int64{0, 7} {
		for _, h := range []int{10, 24} {
			m := foundTexts(t, 80, h)
			m.upkeep.Unindexed = left
			clickOn(t, m, "Our grammar")
			if m.sessions.Texts.At != 0 {
				t.Errorf("80x%d, %d behind: a click on the first hit chooses the one at %d:\n%s", h, left, m.sessions.Texts.At, plain(m))
			}
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

func TestAClickChoosesInThePalette(t *testing.T) {
	m := chatting(t, 80, 24)
	m.Update(ctrl('p'))
	typing(m, "w")
	m.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	clickOn(t, m, "/whatif")
	if c, _ := openedList(m).Cursor(); c.Value != "whatif" {
		t.Fatalf("a click on /whatif chooses %q", c.Value)
	}
	clickOn(t, m, "/whatif")
	if !m.overlays.onTop(whatifOverlay{}) {
		t.Errorf("a second click does not run it:\n%s", plain(m))
	}
}

func TestAClickTriesAThemeOut(t *testing.T) {
	m := chatting(t, 100, 30)
	m.themes.Wanted = theme.Dark
	m.restyle()
	setting((*settings.Model).Theme)(m, "")
	clickOn(t, m, "nord")
	if c, _ := openedList(m).Cursor(); c.Value != "nord" || m.themes.Styles.Name != "nord" {
		t.Fatalf("a click on nord chooses %q and shows %s:\n%s", c.Value, m.themes.Styles.Name, plain(m))
	}
	m.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if c, _ := openedList(m).Cursor(); c.Value == "nord" || m.themes.Styles.Name == "nord" {
		t.Errorf("the wheel goes to %q and shows %s", c.Value, m.themes.Styles.Name)
	}
}
